//! Clocks of several stages: what an engine receives, and what the records contain.

use std::fs;

use super::{Scratch, play_pair};

const CONTROL: &str = "2/100:1/50+5:20";

/// The number after a word of a line.
fn number(line: &str, name: &str) -> Option<u64> {
    let mut words = line.split(' ').skip_while(|word| *word != name);
    words.nth(1).map(|word| word.parse().unwrap())
}

#[test]
fn an_engine_receives_the_time_increment_and_moves_of_each_stage() {
    for (protocol, players) in [("ugi", ["p1", "p2"]), ("uci", ["w", "b"])] {
        let scratch = Scratch::new(&format!("stages-{protocol}"));
        let file = scratch.0.with_extension("go");
        let script = format!("note-go:{}", file.display());
        let games = play_pair(
            &scratch,
            &script,
            &format!("proto={protocol} tc={CONTROL}"),
            "",
        );
        let text = fs::read_to_string(&file).unwrap();
        let mut lines = text.lines();
        for (game, player) in games.iter().zip(players) {
            let moves = game["moves"].as_array().unwrap().iter();
            let moves = moves.skip(usize::from(player == players[1])).step_by(2);
            let stages = [
                (100_000, 0, Some(2)),
                (100_000, 0, Some(1)),
                (150_000, 5000, Some(1)),
                (175_000, 0, None),
            ];
            let mut left = 100_000;
            for (played, (base, increment, to_go)) in moves.zip(stages) {
                let line = lines.next().unwrap();
                assert_eq!(number(line, "movestogo"), to_go, "{line}");
                assert_eq!(number(line, &format!("{player}inc")), Some(increment));
                assert_eq!(number(line, &format!("{player}time")), Some(left), "{line}");
                assert!(left <= base && left + 20_000 > base, "{line}");
                left = played["clock_ms"].as_u64().unwrap();
            }
        }
        assert_eq!(lines.next(), None);
        let [first, second] = [&games[0]["limits"][0], &games[1]["limits"][1]];
        assert_eq!((first, second), (&CONTROL.into(), &CONTROL.into()));
        let pgn = fs::read_to_string(scratch.0.join("games.pgn")).unwrap();
        assert!(
            pgn.contains(&format!("TimeControl \"{CONTROL}\"]")),
            "{pgn}"
        );
    }
}
