//! Standard streams, and exec.
use rustix::buffer::spare_capacity;
use rustix::fs::{MemfdFlags, memfd_create};
use rustix::io::Errno;
use rustix::stdio::{dup2_stdin, stdin, stdout};
use std::ffi::{CStr, CString, c_char, c_int};
use std::fs::File;
use std::io::{self, Seek, Write};
use std::ptr::null;
use std::thread;
use std::time::Duration;

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

/// The bytes that a stream is read by.
pub const CHUNK: usize = 16 * 1024;

/// Reads all of stdin. Returns None as soon as it has more than `limit` bytes.
pub fn read_stdin(limit: usize) -> io::Result<Option<Vec<u8>>> {
    let mut input = Vec::new();
    loop {
        input.reserve(CHUNK);
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
    let Ok(path) = CString::new(path) else { return };
    if let Some(text) = input {
        let Ok(()) = memory_file(text).and_then(|file| Ok(dup2_stdin(file)?)) else { return };
    }
    let arguments = [path.as_ptr(), null()];
    // SAFETY: no other thread reads the environment or the signals while they change. All pointers are valid, and each list
    // ends in a null. The standard library would call execvp, which runs a file in a shell if the kernel does not know its
    // format, and would leave SIGPIPE ignored.
    unsafe {
        for pair in variables.chunks_exact(2) {
            std::env::set_var(&pair[0], &pair[1]);
        }
        libc::signal(libc::SIGPIPE, libc::SIG_DFL);
        libc::signal(libc::SIGXFSZ, libc::SIG_DFL);
        libc::execve(path.as_ptr(), arguments.as_ptr(), environ);
        libc::signal(libc::SIGPIPE, libc::SIG_IGN);
        libc::signal(libc::SIGXFSZ, libc::SIG_IGN);
    }
}

/// Makes a file without a name that contains the text, and rewinds it.
pub fn memory_file(text: &str) -> io::Result<File> {
    let mut file = File::from(memfd_create("stdin", MemfdFlags::CLOEXEC)?);
    file.write_all(text.as_bytes())?;
    file.rewind()?;
    Ok(file)
}
