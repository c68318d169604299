//! Links in network namespaces.
use crate::child::{run_in_child, wait_for};
use crate::one_thread::OneThread;
use libc::{CLONE_FILES, IFLA_IFNAME, NLM_F_REQUEST, NLMSG_ERROR, O_NONBLOCK, RTM_GETLINK, RTM_NEWLINK};
use rustix::io::{Errno, retry_on_intr};
use rustix::net::netlink::SocketAddrNetlink;
use rustix::net::{AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType, connect, recvfrom, send, socket_with};
use rustix::thread::{LinkNameSpaceType, move_into_link_name_space};
use std::cell::{Cell, RefCell};
use std::fs::OpenOptions;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::OpenOptionsExt;

/// The sizes of nlmsghdr and of ifinfomsg, which follows it and has the link's index at offset 4.
const HEADER: usize = 16;
const LINK: usize = 16;

/// The last namespace and a socket in it, because entering a namespace takes longer than asking.
static ASKED: OneThread<RefCell<Option<(String, OwnedFd)>>> = OneThread(RefCell::new(None));

/// How many questions were sent. Each answer repeats the number of its question.
static SENT: OneThread<Cell<u32>> = OneThread(Cell::new(0));

/// The index of a link in a network namespace, 0 if there is no link of that name.
pub fn link_index(netns: &str, name: &str) -> io::Result<i32> {
    let (known, socket) = match ASKED.take() {
        Some((known, socket)) if known == netns => (known, socket),
        _ => (netns.to_owned(), socket_in(netns)?),
    };
    let index = index_of(name, &socket);
    ASKED.replace(Some((known, socket)));
    index
}

/// Opens an rtnetlink(7) socket in a namespace. A child enters the namespace and shares this process's descriptors, so this
/// process stays in its own.
fn socket_in(netns: &str) -> io::Result<OwnedFd> {
    // A FIFO would be waited for. It is no namespace.
    let namespace = OpenOptions::new().read(true).custom_flags(O_NONBLOCK).open(netns)?;
    let mut socket = Err(Errno::CHILD);
    let child = run_in_child(CLONE_FILES, || {
        let entered = move_into_link_name_space(namespace.as_fd(), Some(LinkNameSpaceType::Network));
        // None is protocol 0: NETLINK_ROUTE.
        let open = |()| socket_with(AddressFamily::NETLINK, SocketType::RAW, SocketFlags::CLOEXEC, None);
        socket = entered.and_then(open);
    })?;
    wait_for(child)?;
    let socket = socket?;
    // The kernel has the number 0. To a connected socket, no process of the container can send messages.
    connect(&socket, &SocketAddrNetlink::new(0, 0))?;
    Ok(socket)
}

// The ioctl for this is slow if the name is missing: the kernel looks for a module of that name.
fn index_of(name: &str, socket: &OwnedFd) -> io::Result<i32> {
    let attribute = attribute(IFLA_IFNAME, name);
    let sequence = SENT.get() + 1;
    SENT.set(sequence);
    send(socket, &request(&attribute, sequence), SendFlags::empty())?;
    let mut answer = [0; 4096];
    for _ in 0..MOST_OF_OTHERS {
        let (length, _, sender) = retry_on_intr(|| recvfrom(socket, &mut answer, RecvFlags::empty()))?;
        let sender = sender.and_then(|sender| SocketAddrNetlink::try_from(sender).ok());
        // A message may have come before the socket was connected.
        let is_from_kernel = sender.is_some_and(|sender| sender.pid() == 0);
        // An answer that could not be received waits in the socket, before the next one.
        if is_from_kernel && answer.get(8..12) == Some(&sequence.to_ne_bytes()[..]) {
            return index_in(&answer[..length], &attribute);
        }
    }
    Err(Errno::PROTO.into())
}

/// So many messages that answer nothing are left out before the kernel's answer counts as missing.
const MOST_OF_OTHERS: usize = 1000;

fn index_in(answer: &[u8], attribute: &[u8]) -> io::Result<i32> {
    let number = |at: usize| answer.get(at..at + 4).and_then(|bytes| bytes.try_into().ok()).map(i32::from_ne_bytes);
    let kind = number(4).map(|kind| kind as u16);
    match (kind, number(HEADER), number(HEADER + 4)) {
        (Some(kind), Some(code), _) if i32::from(kind) == NLMSG_ERROR => match code {
            // No link has a name as long as one that is out of range.
            code if [Errno::NODEV, Errno::RANGE].map(|one| -one.raw_os_error()).contains(&code) => Ok(0),
            -4095..0 => Err(io::Error::from_raw_os_error(-code)),
            _ => Err(Errno::PROTO.into()),
        },
        (Some(RTM_NEWLINK), _, Some(index)) if index > 0 => {
            // The kernel also finds a link by an alternative name. Only its own name has this attribute in the answer.
            let is_own_name = answer.windows(attribute.len()).any(|bytes| bytes == attribute);
            Ok(if is_own_name { index } else { 0 })
        }
        _ => Err(Errno::PROTO.into()),
    }
}

fn request(attribute: &[u8], sequence: u32) -> Vec<u8> {
    let length = (HEADER + LINK + attribute.len()) as u32;
    let mut request = length.to_ne_bytes().to_vec();
    request.extend(RTM_GETLINK.to_ne_bytes());
    request.extend((NLM_F_REQUEST as u16).to_ne_bytes());
    request.extend(sequence.to_ne_bytes());
    request.resize(HEADER + LINK, 0);
    request.extend(attribute);
    request
}

fn attribute(kind: u16, text: &str) -> Vec<u8> {
    // The length includes the two numbers before the text and the NUL after it.
    let length = (4 + text.len() + 1) as u16;
    [&length.to_ne_bytes()[..], &kind.to_ne_bytes(), text.as_bytes(), &[0]].concat()
}
