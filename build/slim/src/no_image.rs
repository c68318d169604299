//! In place of `image.rs`, for an executable without a heap image: each call starts the engine and loads the modules.
use crate::Core;
use crate::engine::{Engine, Result};
use crate::heap;

pub fn holds(_: *const u8) -> bool {
    false
}

pub fn wake() -> Option<Core> {
    None
}

pub fn start() -> Option<Engine> {
    Engine::start(&heap::OF_ENGINE)
}

/// Answers the call. Returns the exit code.
pub fn finish(core: Core, arguments: Vec<String>) -> Result<i32> {
    crate::answer(core, arguments)
}
