//! The slim flavor: the TypeScript core, compiled to bytecode, on an embedded QuickJS. This is only a host: it does what the
//! core asks of the machine, and knows nothing about CNI.
#![no_main]
mod child;
mod engine;
mod files;
mod heap;
mod host;
mod links;
mod process;
mod values;

use engine::{Engine, Result, Value};
use std::ffi::{c_char, c_int};
use std::process::exit;

#[global_allocator]
static HEAP: heap::Heap = heap::Heap;

macro_rules! bytecode {
    ($($name:literal),*) => { &[$(($name, include_bytes!(concat!(env!("OUT_DIR"), "/", $name, ".bytecode")))),*] };
}

/// The core's modules. Every call loads `main`, which imports `shared`. The core loads the others when it needs them.
static MODULES: &[(&str, &[u8])] = bytecode!["main", "shared", "later", "rare", "problem"];

/// The C library calls this. Rust's own start would also read /proc/self/maps and prepare a handler for a stack overflow, which
/// takes 2% of a call.
#[unsafe(no_mangle)]
extern "C" fn main(count: c_int, arguments: *const *const c_char) -> c_int {
    process::prepare_streams();
    heap::populate();
    // SAFETY: the C library passes `count` strings.
    let arguments = unsafe { process::strings(count, arguments) };
    let failed = match Engine::start() {
        Some(engine) => match run(engine, arguments) {
            Ok(code) => exit(code),
            Err(_) => engine.exception(),
        },
        None => "no memory for the engine".to_owned(),
    };
    eprintln!("{failed}");
    1
}

fn run(engine: Engine, arguments: Vec<String>) -> Result<i32> {
    let machine = host::machine(engine, arguments)?;
    engine.set_function(engine.globals(), c"load", native!(|call| load(call.engine, &call.text(0)?)))?;
    read(engine, "shared")?;
    let exports = load(engine, "main")?;
    engine.call(engine.get(exports, c"main")?, machine)
}

/// Evaluates a module and returns its exports. Its imports must be read.
fn load(engine: Engine, name: &str) -> Result<Value> {
    if name == "rare" {
        engine.add_date()?;
    }
    let module = read(engine, name)?;
    engine.evaluate(module)
}

fn read(engine: Engine, name: &str) -> Result<Value> {
    let (_, bytecode) = MODULES.iter().find(|(known, _)| *known == name).expect("the core knows these names");
    // SAFETY: `bytecode` was made by the same version of the engine, in build.rs.
    unsafe { engine.read(bytecode) }
}
