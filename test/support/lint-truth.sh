# Takes a list through a container's life with the real plugins: sh lint-truth.sh FILE CNI_PATH STAGE...
# It prints the first stage that fails and the error, or nothing. Before, it removes what other lists left in the lab.
file=$1 path=$2
shift 2

clean_up() {
  for name in $(ls /run/netns); do ip netns delete "$name"; done
  for link in $(ls /sys/class/net); do
    case $link in
      lo | uplink1 | ens18 | ens19 | ens20 | far-ens19 | far-ens20) ;;
      *) ip link delete "$link" ;;
    esac
  done
  for card in ens19 ens20; do
    # A card in a deleted namespace stays for a while. Without its other end it is gone at once.
    [ -e /sys/class/net/$card ] && continue
    ip link delete far-$card
    ip link add $card type veth peer name far-$card
  done
  for tables in iptables ip6tables; do
    for table in nat filter mangle; do $tables -t $table -F && $tables -t $table -X; done
  done
  rm -rf /var/lib/cni/* /run/cni
  ip netns add c1
  ip netns add c2
}

# call STAGE VERB CONTAINER
call() {
  # Only the first container publishes ports: a port of the host has one owner.
  [ "$3" = c1 ] && ports='[{"hostPort":25080,"containerPort":80,"protocol":"tcp"},{"hostPort":25443,"containerPort":443,"protocol":"tcp"}]' || ports='[]'
  request="{\"pluginPath\":\"$path\",\"file\":\"$file\",\"id\":\"$3\",\"netns\":\"/run/netns/$3\",\"ports\":$ports}"
  error=$(echo "$request" | /run/lab/drivers/gocni "$2" 2>&1 >/dev/null) && return
  printf '%s\n%s' "$1" "$error"
  exit
}

clean_up >/dev/null 2>&1
for stage; do
  case $stage in
    load) call "$stage" load c1 ;;
    ADD) call "$stage" setup c1 ;;
    CHECK | restart) call "$stage" check c1 ;;
    'second ADD') call "$stage" setup c2 ;;
    DEL) call "$stage" remove c1 ;;
  esac
done
