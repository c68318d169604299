//! The slim flavor: the TypeScript core, compiled to bytecode, on an embedded QuickJS. This is only a host: it does what the
//! core asks of the machine, and knows nothing about CNI.
#![no_main]
mod array;
mod child;
mod engine;
mod files;
mod heap;
mod host;
#[cfg_attr(not(feature = "image"), path = "no_image.rs")]
mod image;
mod links;
mod one_thread;
mod process;
mod values;

use engine::{Engine, Result, Value, checked};
use std::ffi::{c_char, c_int};
use std::panic;
use std::process::exit;
use values::Give;

#[global_allocator]
static HEAP: heap::Heap = heap::Heap;

/// The TypeScript core as a module.
static MODULE: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/main.bytecode"));

/// The core, ready for a call.
#[derive(Clone, Copy)]
pub struct Core {
    engine: Engine,
    machine: Value,
    /// Its function that answers a call.
    main: Value,
}

/// The C library calls this. Rust's own start would also read /proc/self/maps and prepare a handler for a stack overflow, which
/// takes 2% of a call.
#[unsafe(no_mangle)]
extern "C" fn main(count: c_int, arguments: *const *const c_char) -> c_int {
    panic::set_hook(Box::new(|fault| process::fail(&format!("{fault}\n"))));
    process::prepare_streams();
    heap::populate(heap::EVERY_CALL);
    // SAFETY: the C library passes `count` strings.
    let arguments = unsafe { process::strings(count, arguments) };
    if let Some(core) = image::wake() {
        end(core.engine, answer(core, arguments));
    }
    let Some(engine) = image::start() else { process::fail("no memory\n") };
    end(engine, prepare(engine).and_then(|core| image::finish(core, arguments)))
}

/// Lets the core answer a call. Returns the exit code.
fn answer(core: Core, arguments: Vec<String>) -> Result<i32> {
    let (arguments, variables) = (checked(arguments.give(core.engine))?, host::variables(core.engine)?);
    core.engine.call(core.main, [core.machine, arguments, variables])
}

fn end(engine: Engine, ended: Result<i32>) -> ! {
    exit(ended.unwrap_or_else(|_| process::fail(&format!("{}\n", engine.exception()))))
}

/// Loads what every call needs.
fn prepare(engine: Engine) -> Result<Core> {
    let machine = host::machine(engine)?;
    engine.add_date()?;
    // SAFETY: the bytecode was made by the same version of the engine, in build.rs.
    let module = unsafe { engine.read(MODULE) }?;
    let main = engine.get(engine.evaluate(module)?, c"main")?;
    Ok(Core { engine, machine, main })
}
