//! Statics of the thread that runs the engine. For thread-local ones the C library would have to map memory at the start.
use std::ops::Deref;

/// A static that no other thread uses.
pub struct OneThread<T>(pub T);

// SAFETY: there is a second thread only in `child::pipe_with`, and it uses none of them.
unsafe impl<T> Sync for OneThread<T> {}

impl<T> Deref for OneThread<T> {
    type Target = T;
    fn deref(&self) -> &T {
        &self.0
    }
}
