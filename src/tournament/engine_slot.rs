//! A worker's slot for one engine: starts the process on demand and keeps it between games.

use crossbeam_channel::Receiver;

use super::abort::Abort;
use super::engine_session::EngineSession;
use super::engine_spec::EngineSpec;
use super::timeouts::Timeouts;

/// An engine of a worker, which may not be running.
pub struct EngineSlot {
    /// The engine.
    pub spec: EngineSpec,
    /// The running engine, if any.
    pub session: Option<EngineSession>,
    /// The cores that its process is pinned to.
    cores: Option<Vec<usize>>,
    stop: Receiver<()>,
}

impl EngineSlot {
    /// A slot without a process.
    pub fn new(spec: EngineSpec, cores: Option<Vec<usize>>, stop: Receiver<()>) -> EngineSlot {
        EngineSlot { spec, session: None, cores, stop }
    }

    /// The running engine, started if necessary.
    pub fn start(&mut self, timeouts: Timeouts) -> Result<&mut EngineSession, Abort> {
        match &mut self.session {
            Some(session) => Ok(session),
            empty => {
                let session = EngineSession::start(&self.spec, self.cores.as_deref(), timeouts, self.stop.clone())?;
                Ok(empty.insert(session))
            }
        }
    }

    /// Quits the engine, if it is running.
    pub fn quit(&mut self) {
        if let Some(session) = self.session.take() {
            session.quit();
        }
    }
}
