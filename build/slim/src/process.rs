//! Standard streams, and exec.
use rustix::buffer::spare_capacity;
use rustix::fs::{MemfdFlags, memfd_create};
use rustix::io::Errno;
use rustix::stdio::{dup2_stdin, stderr, stdin, stdout};
use std::ffi::{CStr, CString, c_char, c_int};
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::ptr::null;
use std::time::Duration;
use std::{io, mem, thread};

/// Ends a call that cannot go on, with an error result (SPEC.md, section 5 "Error"). Allocates nothing.
pub fn fail(fault: &str) -> ! {
    let _ = rustix::io::write(stderr(), fault.as_bytes());
    let _ = write_stdout(include_bytes!("../panic.json"));
    // SAFETY: nothing needs to be done before the end.
    unsafe { libc::_exit(1) }
}

unsafe extern "C" {
    /// The C library's environment.
    static environ: *const *const c_char;
}

/// Does what Rust's own start does about the standard streams: a write to a closed pipe fails and sends no signal, and no
/// file gets the number of a closed stream. A write above the limit of a file's size (RLIMIT_FSIZE) sends no signal, either.
pub fn prepare_streams() {
    // SAFETY: no other thread exists yet, and the path ends in a NUL.
    unsafe {
        libc::signal(libc::SIGPIPE, libc::SIG_IGN);
        libc::signal(libc::SIGXFSZ, libc::SIG_IGN);
        for stream in closed_streams() {
            if libc::fcntl(stream, libc::F_GETFD) < 0 {
                libc::open(c"/dev/null".as_ptr(), libc::O_RDWR);
            }
        }
    }
}

/// The standard streams that are closed; all of them if poll is denied.
fn closed_streams() -> Vec<c_int> {
    let mut streams = [0, 1, 2].map(|fd| libc::pollfd { fd, events: 0, revents: 0 });
    // SAFETY: the pointer and the count are of the same array.
    let polled = unsafe { libc::poll(streams.as_mut_ptr(), 3, 0) };
    streams.iter().filter(|one| polled < 0 || one.revents & libc::POLLNVAL != 0).map(|one| one.fd).collect()
}

/// Copies the strings that the C library passes to `main`.
///
/// # Safety
/// `strings` must point to `count` C strings.
pub unsafe fn strings(count: c_int, strings: *const *const c_char) -> Vec<String> {
    let text = |index| unsafe { CStr::from_ptr(*strings.add(index)) }.to_string_lossy().into_owned();
    (0..count as usize).map(text).collect()
}

/// The least room for reading, and the room for the first bytes: most configurations and files are shorter.
pub const CHUNK: usize = 16 * 1024;
pub const FIRST_READ: usize = 4 * 1024;

/// Reads all of stdin. Returns None as soon as it has more than `limit` bytes.
pub fn read_stdin(limit: usize) -> io::Result<Option<Vec<u8>>> {
    let mut input = Vec::with_capacity(FIRST_READ);
    loop {
        if input.len() == input.capacity() {
            input.reserve(CHUNK.max(input.len()));
        }
        let length = retry(|| rustix::io::read(stdin(), spare_capacity(&mut input)))?;
        if length == 0 {
            return Ok(Some(input));
        }
        if input.len() > limit {
            return Ok(None);
        }
    }
}

/// Writes all of `output` to stdout.
pub fn write_stdout(mut output: &[u8]) -> io::Result<()> {
    while !output.is_empty() {
        let written = retry(|| rustix::io::write(stdout(), output))?;
        output = &output[written..];
    }
    Ok(())
}

// The runtime may have made a stream non-blocking.
fn retry(mut transfer: impl FnMut() -> Result<usize, Errno>) -> io::Result<usize> {
    loop {
        match transfer() {
            Err(Errno::AGAIN) => thread::sleep(Duration::from_millis(1)),
            Err(Errno::INTR) => {}
            other => return Ok(other?),
        }
    }
}

/// Replaces this process with an executable. Returns only if that fails.
pub fn exec(path: &str, variables: &[String], input: Option<&str>) {
    let (Ok(path), Ok(variables)) = (CString::new(path), Environment::with(variables)) else { return };
    if let Some(text) = input {
        let Ok(file) = memory_file(text) else { return };
        let Ok(()) = dup2_stdin(&file) else { return };
        // execve closes it.
        mem::forget(file);
    }
    let arguments = [path.as_ptr(), null()];
    // SAFETY: no other thread uses the signals while they change. All pointers are valid, and each list ends in a null. The
    // standard library would call execvp, which runs a file in a shell if the kernel does not know its format, and would leave
    // SIGPIPE ignored.
    unsafe {
        libc::signal(libc::SIGPIPE, libc::SIG_DFL);
        libc::signal(libc::SIGXFSZ, libc::SIG_DFL);
        libc::execve(path.as_ptr(), arguments.as_ptr(), variables.as_ptr());
        libc::signal(libc::SIGPIPE, libc::SIG_IGN);
        libc::signal(libc::SIGXFSZ, libc::SIG_IGN);
    }
}

/// Variables for execve.
pub struct Environment {
    list: Vec<*const c_char>,
    /// The list points to these.
    _changed: Vec<CString>,
}

impl Environment {
    /// This process's variables, with the changes applied, which alternate names and values.
    pub fn with(changes: &[String]) -> io::Result<Self> {
        let pairs = changes.chunks_exact(2).map(|pair| CString::new([&*pair[0], &*pair[1]].join("=")));
        let changed = pairs.collect::<Result<Vec<_>, _>>()?;
        let mut list = Vec::new();
        // SAFETY: nothing changes the C library's environment, and a null ends it.
        unsafe {
            let mut entry = environ;
            while !(*entry).is_null() {
                let text = CStr::from_ptr(*entry).to_bytes();
                if !changes.chunks_exact(2).any(|pair| is_of(text, pair[0].as_bytes())) {
                    list.push(*entry);
                }
                entry = entry.add(1);
            }
        }
        list.extend(changed.iter().map(|pair| pair.as_ptr()).chain([null()]));
        Ok(Self { list, _changed: changed })
    }

    pub fn as_ptr(&self) -> *const *const c_char {
        self.list.as_ptr()
    }
}

fn is_of(variable: &[u8], name: &[u8]) -> bool {
    variable.strip_prefix(name).is_some_and(|rest| rest.first() == Some(&b'='))
}

/// Makes a file without a name that contains the text, and is read from its start.
pub fn memory_file(text: &str) -> io::Result<File> {
    let file = File::from(memfd_create("stdin", MemfdFlags::CLOEXEC)?);
    file.write_all_at(text.as_bytes(), 0)?;
    Ok(file)
}
