//! Other executables below this one.
use crate::process::memory_file;
use libc::{
    CLONE_VFORK, CLONE_VM, PR_SET_PDEATHSIG, SIG_DFL, SIG_SETMASK, SIGCHLD, SIGKILL, SIGPIPE, c_char, c_int, c_void,
};
use rustix::process::{Pid, Signal, WaitOptions, WaitStatus, getpid, kill_process, waitpid};
use std::ffi::CString;
use std::fs::OpenOptions;
use std::io::{self, PipeReader, Read, Write};
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::os::unix::ffi::OsStringExt;
use std::{env, iter, mem, ptr, thread};

/// How an executable is started: its path and arguments, names and values of variables by turns, its stdin (or this process's),
/// and whether its stderr is dropped.
pub struct Call<'a> {
    pub path: &'a str,
    pub arguments: &'a [String],
    pub variables: &'a [String],
    pub input: Option<&'a str>,
    pub is_quiet: bool,
}

/// How an executable ended.
pub enum Ended {
    Exit(i32, Vec<u8>),
    Signal(i32),
    TooMuchOutput,
}

/// Runs an executable to its end and reads its stdout, `limit` bytes at most. The kernel kills it when this process ends first.
pub fn run(call: &Call, limit: usize) -> io::Result<Ended> {
    let (child, stdout) = start(call)?;
    let mut output = Vec::new();
    stdout.take(limit as u64 + 1).read_to_end(&mut output)?;
    let too_much = output.len() > limit;
    if too_much {
        let _ = kill_process(child, Signal::TERM);
    }
    let status = end_of(child)?;
    Ok(match status.and_then(|status| status.terminating_signal()) {
        _ if too_much => Ended::TooMuchOutput,
        Some(signal) => Ended::Signal(signal),
        None => Ended::Exit(status.and_then(|status| status.exit_status()).unwrap_or(0), output),
    })
}

/// Waits for a child's end.
pub fn end_of(child: Pid) -> io::Result<Option<WaitStatus>> {
    let waited = rustix::io::retry_on_intr(|| waitpid(Some(child), WaitOptions::empty()))?;
    Ok(waited.map(|(_, status)| status))
}

/// What a child becomes. All of it is made before there is a child, which must not allocate.
struct Image {
    /// The first one is the path. A null ends these and the variables.
    arguments: Vec<*const c_char>,
    variables: Vec<*const c_char>,
    /// What is put in the place of stdin, stdout and stderr; all above these three, which are open in every Rust program.
    streams: [Option<RawFd>; 3],
    parent: i32,
    /// The error that execve ended in.
    error: Option<i32>,
}

/// Starts an executable; the reading end of its stdout.
fn start(call: &Call) -> io::Result<(Pid, PipeReader)> {
    let arguments = iter::once(call.path).chain(call.arguments.iter().map(String::as_str)).map(CString::new);
    let (arguments, variables) = (arguments.collect::<Result<Vec<_>, _>>()?, environment(call.variables)?);
    let input = call.input.map(input_stream).transpose()?;
    let null = call.is_quiet.then(|| OpenOptions::new().write(true).open("/dev/null")).transpose()?;
    let (reader, writer) = io::pipe()?;
    let child = clone(Image {
        arguments: pointers(&arguments),
        variables: pointers(&variables),
        streams: [
            input.as_ref().map(AsRawFd::as_raw_fd),
            Some(writer.as_raw_fd()),
            null.as_ref().map(AsRawFd::as_raw_fd),
        ],
        parent: getpid().as_raw_pid(),
        error: None,
    })?;
    Ok((child, reader))
}

/// This process's variables with the changes.
fn environment(changes: &[String]) -> io::Result<Vec<CString>> {
    let changed = changes.chunks_exact(2).map(|pair| (pair[0].clone().into(), pair[1].clone().into()));
    let kept = env::vars_os().filter(|(name, _)| !changes.chunks_exact(2).any(|pair| name == pair[0].as_str()));
    let pairs = kept.chain(changed).map(|(name, value)| [name.into_vec(), value.into_vec()].join(&b'='));
    Ok(pairs.map(CString::new).collect::<Result<_, _>>()?)
}

fn pointers(strings: &[CString]) -> Vec<*const c_char> {
    strings.iter().map(|string| string.as_ptr()).chain([ptr::null()]).collect()
}

fn clone(mut image: Image) -> io::Result<Pid> {
    let child = apart(0, || image.execute())?;
    let Some(error) = image.error else { return Ok(child) };
    end_of(child)?;
    Err(io::Error::from_raw_os_error(error))
}

impl Image {
    /// Becomes the executable; comes back only where that cannot be.
    fn execute(&mut self) {
        // SAFETY: these are system calls, none of which changes anything of the process that the memory is shared with. The
        // pointers are those of strings that are there until this process is the executable.
        unsafe {
            libc::prctl(PR_SET_PDEATHSIG, SIGKILL);
            // One that has ended before that is not told of any more.
            if libc::getppid() != self.parent {
                return;
            }
            for (stream, descriptor) in (0..).zip(self.streams) {
                if let Some(descriptor) = descriptor {
                    libc::dup2(descriptor, stream);
                }
            }
            // Rust ignores it, and what is ignored stays so.
            libc::signal(SIGPIPE, SIG_DFL);
            libc::sigprocmask(SIG_SETMASK, &mem::zeroed(), ptr::null_mut());
            libc::execve(self.arguments[0], self.arguments.as_ptr(), self.variables.as_ptr());
        }
        self.error = io::Error::last_os_error().raw_os_error();
    }
}

/// Does something in a child that has this process's memory, as posix_spawn does, and waits until it is done or the child is
/// another executable. To copy the memory takes longer than all the rest, and the standard library copies it as soon as anything
/// is to be done in a child. The action must be system calls only: it must not allocate. `shared` says what else is shared.
pub fn apart<F: FnMut()>(shared: c_int, mut action: F) -> io::Result<Pid> {
    // Aligned as a stack must be.
    let mut stack = Vec::<u128>::with_capacity(4096);
    // SAFETY: the stack is the child's alone. This thread, whose `action` it is, goes on when the child does not use it any more.
    let child = unsafe {
        let top = stack.as_mut_ptr().add(stack.capacity());
        libc::clone(act::<F>, top.cast(), CLONE_VM | CLONE_VFORK | SIGCHLD | shared, (&raw mut action).cast())
    };
    Pid::from_raw(child.max(0)).ok_or_else(io::Error::last_os_error)
}

extern "C" fn act<F: FnMut()>(action: *mut c_void) -> c_int {
    // SAFETY: it is the action of `apart`, which waits.
    unsafe { (*action.cast::<F>())() };
    0
}

/// A stream to read a text from.
fn input_stream(text: &str) -> io::Result<OwnedFd> {
    match memory_file(text) {
        Ok(file) => Ok(file.into()),
        Err(_) => fed_pipe(text.to_owned()),
    }
}

fn fed_pipe(text: String) -> io::Result<OwnedFd> {
    let (reader, mut writer) = io::pipe()?;
    // An executable that does not read to the end breaks the pipe, which is its right.
    thread::spawn(move || writer.write_all(text.as_bytes()));
    Ok(reader.into())
}
