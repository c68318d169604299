//! Links in network namespaces.
use libc::{IFLA_IFNAME, NLM_F_REQUEST, NLMSG_ERROR, RTM_GETLINK};
use rustix::io::Errno;
use rustix::net::{AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType, recv, send, socket_with};
use rustix::thread::{LinkNameSpaceType, move_into_link_name_space};
use std::fs::File;
use std::os::fd::AsFd;
use std::{io, thread};

const STACK: usize = 128 * 1024;
/// The sizes of nlmsghdr, and of ifinfomsg, which comes behind it with the link's index at 4.
const HEADER: usize = 16;
const LINK: usize = 16;

/// The index of a link in a network namespace, 0 if it has none of that name. A thread of its own enters the namespace and
/// ends: the others stay where they are.
pub fn link_index(netns: &str, name: &str) -> io::Result<i32> {
    let namespace = File::open(netns)?;
    thread::scope(|scope| {
        let look = || {
            move_into_link_name_space(namespace.as_fd(), Some(LinkNameSpaceType::Network))?;
            index_of(name)
        };
        let looking = thread::Builder::new().stack_size(STACK).spawn_scoped(scope, look)?;
        looking.join().unwrap_or_else(|_| Err(io::ErrorKind::Other.into()))
    })
}

// By rtnetlink(7): the ioctl for it would let the kernel look for a module of each name that is missing, which takes long.
fn index_of(name: &str) -> io::Result<i32> {
    let attribute = attribute(IFLA_IFNAME, name);
    // The first protocol, which None stands for, is NETLINK_ROUTE.
    let socket = socket_with(AddressFamily::NETLINK, SocketType::RAW, SocketFlags::CLOEXEC, None)?;
    send(&socket, &request(&attribute), SendFlags::empty())?;
    let mut answer = [0; 4096];
    recv(&socket, &mut answer, RecvFlags::empty())?;
    let number = |at: usize| i32::from_ne_bytes([answer[at], answer[at + 1], answer[at + 2], answer[at + 3]]);
    if i32::from(u16::from_ne_bytes([answer[4], answer[5]])) == NLMSG_ERROR {
        let error = Errno::from_raw_os_error(-number(HEADER));
        return if error == Errno::NODEV { Ok(0) } else { Err(error.into()) };
    }
    // A link is found by an alternative name, too, but only its own name comes back like this.
    let is_own_name = answer.windows(attribute.len()).any(|bytes| bytes == attribute);
    Ok(if is_own_name { number(HEADER + 4) } else { 0 })
}

fn request(attribute: &[u8]) -> Vec<u8> {
    let length = (HEADER + LINK + attribute.len()) as u32;
    let mut request = length.to_ne_bytes().to_vec();
    request.extend(RTM_GETLINK.to_ne_bytes());
    request.extend((NLM_F_REQUEST as u16).to_ne_bytes());
    request.resize(HEADER + LINK, 0);
    request.extend(attribute);
    request
}

fn attribute(kind: u16, text: &str) -> Vec<u8> {
    // With these two numbers, and a NUL behind the text.
    let length = (4 + text.len() + 1) as u16;
    [&length.to_ne_bytes()[..], &kind.to_ne_bytes(), text.as_bytes(), &[0]].concat()
}
