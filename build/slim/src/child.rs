//! Runs other executables as children.
use crate::heap;
use crate::process::{CHUNK, Environment, memory_file};
use libc::{
    CLONE_VFORK, CLONE_VM, PR_SET_PDEATHSIG, SIG_DFL, SIG_SETMASK, SIGCHLD, SIGKILL, SIGPIPE, SIGXFSZ, c_char, c_int,
    c_void,
};
use rustix::process::{Pid, Signal, WaitOptions, WaitStatus, getpid, kill_process, waitpid};
use std::ffi::CString;
use std::fs::OpenOptions;
use std::io::{self, PipeReader, Read, Write};
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::{iter, mem, ptr, thread};

/// An executable and how to start it. `variables` alternates names and values. Without `input`, the child reads this process's
/// stdin. If `is_quiet`, its stderr is discarded.
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

/// Runs an executable to its end and reads at most `limit` bytes of its stdout. If this process ends first, the kernel kills
/// the executable.
pub fn run(call: &Call, limit: usize) -> io::Result<Ended> {
    let (child, stdout) = start(call)?;
    let mut output = Vec::with_capacity(CHUNK);
    let read = stdout.take(limit as u64 + 1).read_to_end(&mut output);
    let too_much = output.len() > limit;
    if too_much {
        // It may ignore SIGTERM.
        let _ = kill_process(child, Signal::KILL);
    }
    // Even if its output cannot be read: a plugin that still works would put back what its DEL removes.
    let status = wait_for(child)?;
    read?;
    Ok(match status.and_then(|status| status.terminating_signal()) {
        _ if too_much => Ended::TooMuchOutput,
        Some(signal) => Ended::Signal(signal),
        None => Ended::Exit(status.and_then(|status| status.exit_status()).unwrap_or(0), output),
    })
}

/// Waits until a child has ended.
pub fn wait_for(child: Pid) -> io::Result<Option<WaitStatus>> {
    let waited = rustix::io::retry_on_intr(|| waitpid(Some(child), WaitOptions::empty()))?;
    Ok(waited.map(|(_, status)| status))
}

/// Everything that a child needs to become an executable. The parent makes it, because the child must not allocate.
struct Image {
    /// The first one is the path. A null ends the list.
    arguments: Vec<*const c_char>,
    variables: Environment,
    /// The descriptors that replace stdin, stdout and stderr. They are above 2: these three are open in every Rust program.
    streams: [Option<RawFd>; 3],
    parent: i32,
    /// The error of a failed execve.
    error: Option<i32>,
}

/// Starts an executable. Returns the child and the reading end of its stdout.
fn start(call: &Call) -> io::Result<(Pid, PipeReader)> {
    let arguments = iter::once(call.path).chain(call.arguments.iter().map(String::as_str)).map(CString::new);
    let (arguments, variables) = (arguments.collect::<Result<Vec<_>, _>>()?, Environment::with(call.variables)?);
    let input = call.input.map(input_stream).transpose()?;
    let null = call.is_quiet.then(|| OpenOptions::new().write(true).open("/dev/null")).transpose()?;
    let (reader, writer) = io::pipe()?;
    let child = clone(Image {
        arguments: arguments.iter().map(|one| one.as_ptr()).chain([ptr::null()]).collect(),
        variables,
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

fn clone(mut image: Image) -> io::Result<Pid> {
    let child = run_in_child(0, || image.execute())?;
    let Some(error) = image.error else { return Ok(child) };
    wait_for(child)?;
    Err(io::Error::from_raw_os_error(error))
}

impl Image {
    /// Becomes the executable. Returns only if that fails.
    fn execute(&mut self) {
        // SAFETY: the child shares its parent's memory, and none of these system calls changes it. The strings that the
        // pointers point to live until execve is done: the parent waits.
        unsafe {
            libc::prctl(PR_SET_PDEATHSIG, SIGKILL);
            // If the parent ended before this line, or is in another process namespace, the signal never comes.
            if libc::getppid() != self.parent {
                return self.error = Some(libc::ESRCH);
            }
            for (stream, descriptor) in (0..).zip(self.streams) {
                if let Some(descriptor) = descriptor {
                    libc::dup2(descriptor, stream);
                }
            }
            // This process ignores these two, and an ignored signal stays ignored after execve.
            libc::signal(SIGPIPE, SIG_DFL);
            libc::signal(SIGXFSZ, SIG_DFL);
            libc::sigprocmask(SIG_SETMASK, &mem::zeroed(), ptr::null_mut());
            libc::execve(self.arguments[0], self.arguments.as_ptr(), self.variables.as_ptr());
        }
        self.error = io::Error::last_os_error().raw_os_error();
    }
}

/// Runs an action in a child that shares this process's memory, as posix_spawn does. Waits until the action is done or the
/// child has become another executable. The standard library would fork, which takes longer than the rest of a call. The
/// action may only make system calls: it must not allocate. `shared` has clone(2)'s flags for other things to share.
pub fn run_in_child<F: FnMut()>(shared: c_int, mut action: F) -> io::Result<Pid> {
    // u128 has the alignment that a stack needs.
    let mut stack = Vec::<u128>::with_capacity(4096);
    // SAFETY: only the child uses the stack. This thread keeps `action` alive, and waits until the child no longer uses it.
    let child = unsafe {
        // This process may have been started with SIGCHLD ignored. The kernel would keep nothing of the child to wait for.
        libc::signal(SIGCHLD, SIG_DFL);
        let top = stack.as_mut_ptr().add(stack.capacity());
        libc::clone(run_action::<F>, top.cast(), CLONE_VM | CLONE_VFORK | SIGCHLD | shared, (&raw mut action).cast())
    };
    Pid::from_raw(child.max(0)).ok_or_else(io::Error::last_os_error)
}

extern "C" fn run_action<F: FnMut()>(action: *mut c_void) -> c_int {
    // SAFETY: `run_in_child` passes a pointer to its own action, and waits.
    unsafe { (*action.cast::<F>())() };
    0
}

/// Opens a stream that contains the text.
fn input_stream(text: &str) -> io::Result<OwnedFd> {
    match memory_file(text) {
        Ok(file) => Ok(file.into()),
        Err(_) => pipe_with(text),
    }
}

fn pipe_with(text: &str) -> io::Result<OwnedFd> {
    let (reader, mut writer) = io::pipe()?;
    let text = text.to_owned();
    heap::close();
    // An executable may end before it has read everything. A broken pipe is not an error then.
    thread::Builder::new().spawn(move || writer.write_all(text.as_bytes()))?;
    Ok(reader.into())
}
