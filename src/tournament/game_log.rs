//! The log of a game with a fault: both engines' streams in chronological order.

use std::fmt::Write;
use std::time::Instant;

use super::engine_log::{LogEntry, StreamKind};
use super::engine_slot::EngineSlot;
use super::game_record::GameRecord;

/// Writes the log of a game. `old_entries` holds the lines of processes that were replaced during the game. Times are
/// in milliseconds since the game began.
pub fn write_game_log(
    record: &GameRecord,
    position: &str,
    slots: &[&mut EngineSlot; 2],
    old_entries: &[Vec<LogEntry>; 2],
    began: Instant,
) -> String {
    let mut text = format!("game {} ({}): {}\n", record.game, record.variant, record.reason);
    if let (Some(by), Some(detail)) = (record.fault_by, &record.detail) {
        let _ = writeln!(text, "fault of {} ({}): {detail}", record.name(by.into()), by.name());
    }
    for fault in &record.recovered {
        let name = record.name(fault.by.into());
        let _ = writeln!(text, "recovered at ply {}: {name}: {}: {}", fault.ply, fault.reason, fault.detail);
    }
    let mut lines: Vec<(LogEntry, usize)> = Vec::new();
    for (index, slot) in slots.iter().enumerate() {
        let _ = writeln!(text, "p{} {}: {}", index + 1, slot.spec.name, slot.spec.command_line());
        lines.extend(old_entries[index].iter().map(|entry| (entry.clone(), index)));
        if let Some(session) = &slot.session {
            let (entries, dropped) = session.log().entries();
            if dropped > 0 {
                let _ = writeln!(text, "p{}: {dropped} older lines dropped", index + 1);
            }
            lines.extend(entries.into_iter().map(|entry| (entry, index)));
        }
    }
    let _ = writeln!(text, "position: {position}");
    let _ = writeln!(
        text,
        "\n(ms since the start of the game; < sent to the engine, > received from it, ! its standard error)"
    );
    lines.sort_by_key(|(entry, _)| entry.at);
    for (entry, index) in lines {
        let since = match entry.at.checked_duration_since(began) {
            Some(after) => after.as_secs_f64() * 1e3,
            None => -(began - entry.at).as_secs_f64() * 1e3,
        };
        let sign = match entry.stream {
            StreamKind::Input => '<',
            StreamKind::Output => '>',
            StreamKind::Error => '!',
        };
        let _ = writeln!(text, "{since:12.3} p{} {sign} {}", index + 1, entry.text);
    }
    text
}
