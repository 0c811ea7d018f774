//! Formats events as UGI lines.

use std::fmt::Display;

use super::paint::paint;
use crate::engine::event::{
    BoardView, Bound, Certainty, Event, Info, LineContent, Outcome, Progress, RankedMove, Response,
};
use crate::engine::options::{Kind, OPTIONS};
use crate::protocol::writer::{Output, OutputKind};

/// The output for an event that answers this command; boards are drawn in `color`.
pub fn format(event: &Event, command: &str, color: bool) -> Vec<Output> {
    if let Event::Info(info) = event {
        let line = Output::progress(info, self::info(info, score_cp));
        return [Some(line), selectivity(info)]
            .into_iter()
            .flatten()
            .collect();
    }
    let kind = match event {
        Event::RootMove { .. } | Event::PerftRunning { .. } => {
            OutputKind::Progress(LineContent::Nothing)
        }
        Event::Best { .. } => OutputKind::BestMove,
        _ => OutputKind::Answer,
    };
    let output = text(event, command, color).map(|text| Output { kind, text });
    output.into_iter().collect()
}

fn text(event: &Event, command: &str, color: bool) -> Option<String> {
    Some(match event {
        Event::Done | Event::Info(_) => return None,
        Event::Identity => identity(command == "uci"),
        Event::Ready => "readyok".into(),
        Event::Text(text) => text.clone(),
        Event::Note(note) => format!("info string {note}"),
        Event::Error(error) => format!("info string error: {error}"),
        Event::Failed(error) => format!("info string error: {command}: {error}"),
        Event::RootMove {
            depth,
            word,
            number,
        } => {
            format!("info depth {depth} currmove {word} currmovenumber {number}")
        }
        Event::Best {
            word,
            certainty,
            accuracy,
            last,
            ..
        } => {
            let repeated = last.as_ref().filter(|(_, is_due)| *is_due);
            let repeated =
                repeated.map_or_else(String::new, |(last, _)| self::info(last, score_cp) + "\n");
            let notes = accuracy_line(accuracy.as_deref()) + exactness(*certainty);
            format!(
                "{repeated}{notes}bestmove {}",
                word.as_deref().unwrap_or("0000")
            )
        }
        Event::Analysis { ply, info } => {
            format!("info string ply {ply} {}", self::info(info, score_cp))
        }
        Event::Ranked {
            moves,
            depth,
            selectivity,
        } => ranked(moves, *depth, *selectivity),
        Event::PerftRunning { depth, elapsed } => {
            format!(
                "info string perft {depth} counting, time {}",
                elapsed.as_millis()
            )
        }
        Event::Response(response) => format!("response {}", answer(response)),
        Event::Board(view) => board(view, color),
        Event::Evaluation {
            score,
            diagram,
            terms,
        } => {
            let terms = terms.as_deref().unwrap_or_default();
            format!(
                "{}\n{terms}eval score cp {score}",
                drawn(diagram, None, color)
            )
        }
    })
}

/// The words after `score`, always in centipoints.
fn score_cp(score: i32, _info: &Info) -> String {
    format!("cp {score}")
}

fn identity(is_uci: bool) -> String {
    let mut lines = vec![
        format!(
            "id name {} {}",
            env!("CARGO_PKG_NAME"),
            env!("CARGO_PKG_VERSION")
        ),
        "id author the nullwindow authors".into(),
    ];
    for option in OPTIONS
        .iter()
        .filter(|option| is_uci || !option.is_uci_only())
    {
        let (kind, range) = match &option.kind {
            Kind::Check(..) => ("check", String::new()),
            Kind::Spin(_, range, _) => (
                "spin",
                format!(" min {} max {}", range.start(), range.end()),
            ),
            Kind::Combo(words, _) => ("combo", format!(" var {}", words.join(" var "))),
            Kind::File(..) => ("string", String::new()),
            Kind::Button => ("button", String::new()),
        };
        let default = field("default", option.default());
        lines.push(format!(
            "option name {} type {kind}{default}{range}",
            option.name
        ));
    }
    lines.push(if is_uci { "uciok" } else { "ugiok" }.into());
    lines.join("\n")
}

/// An info line; `score_words` formats what follows `score`.
pub fn info(info: &Info, score_words: impl Fn(i32, &Info) -> String) -> String {
    let Progress {
        depth,
        seldepth,
        multi_pv,
        lines,
        score,
        bound,
        counters,
        elapsed,
        hashfull,
        ..
    } = info.report;
    let multi_pv = field("multipv", Some(multi_pv).filter(|_| lines > 1));
    let score = score_words(score.0, info);
    let bound = match bound {
        Bound::Exact => "",
        Bound::Lower => " lowerbound",
        Bound::Upper => " upperbound",
    };
    let nodes = counters.nodes;
    let nps = u128::from(nodes) * 1_000_000 / elapsed.as_micros().max(1);
    let time = elapsed.as_millis();
    let pv = field("pv", Some(info.pv.join(" ")).filter(|pv| !pv.is_empty()));
    format!(
        "info depth {depth} seldepth {seldepth}{multi_pv} score {score}{bound} nodes {nodes} nps {nps} hashfull \
         {hashfull} time {time}{pv}"
    )
}

/// A blank, a name and its value; empty if there is no value.
pub fn field(name: &str, value: Option<impl Display>) -> String {
    value.map_or_else(String::new, |value| format!(" {name} {value}"))
}

/// The additional line of a completed selective iteration.
pub fn selectivity(info: &Info) -> Option<Output> {
    let Progress {
        depth,
        selectivity,
        bound,
        ..
    } = info.report;
    let text = level(depth, selectivity).filter(|_| bound == Bound::Exact && !info.is_repeat);
    text.map(Output::answer)
}

/// The selectivity of a selective search as a line.
fn level(depth: u8, selectivity: u8) -> Option<String> {
    (selectivity < 100).then(|| format!("info string depth {depth} selectivity {selectivity}"))
}

/// The line before `bestmove` for a proven score.
pub fn exactness(certainty: Certainty) -> &'static str {
    match certainty {
        Certainty::Heuristic => "",
        Certainty::Exact => "info string exact\n",
        Certainty::WinLossDraw => "info string wld\n",
    }
}

/// The line before `bestmove` about the accuracy of the score.
pub fn accuracy_line(accuracy: Option<&str>) -> String {
    accuracy.map_or_else(String::new, |text| format!("info string {text}\n"))
}

fn ranked(moves: &[RankedMove], depth: u8, selectivity: u8) -> String {
    let mut text = String::new();
    let is_exact = moves
        .iter()
        .all(|ranked| ranked.certainty == Certainty::Exact);
    let certainty = if is_exact {
        Certainty::Exact
    } else {
        Certainty::Heuristic
    };
    for RankedMove { score, pv, .. } in moves {
        let first = pv.first().map_or("0000", String::as_str);
        text += &format!("move {first} score cp {score} pv {}\n", pv.join(" "));
    }
    let level = level(depth, selectivity).map_or_else(String::new, |line| line + "\n");
    text + exactness(certainty) + &level + &format!("moves {} depth {depth}", moves.len())
}

fn answer(response: &Response) -> String {
    match response {
        Response::Truth(truth) => truth.to_string(),
        Response::Result(result) => self::result(*result).into(),
        Response::Text(text) => text.clone(),
        Response::Moves(moves) if moves.is_empty() => "none".into(),
        Response::Moves(moves) => moves.join(" "),
        Response::Unknown => "unknown".into(),
    }
}

fn result(result: Option<Outcome>) -> &'static str {
    result.map_or("none", Outcome::name)
}

/// The lines of a diagram, without the last line end.
fn drawn(diagram: &str, last: Option<&str>, color: bool) -> String {
    let diagram = diagram.trim_end();
    if color {
        paint(diagram, last)
    } else {
        diagram.into()
    }
}

fn board(view: &BoardView, color: bool) -> String {
    let BoardView {
        diagram,
        position,
        moves,
        hash,
        opening,
        result,
        last,
        ..
    } = view;
    let diagram = drawn(diagram, last.as_deref(), color);
    let moves = if moves.is_empty() {
        "none".into()
    } else {
        moves.join(" ")
    };
    let mut text =
        format!("{diagram}\nposition: {position}\nlegal moves: {moves}\nhash: {hash:016x}");
    if let Some(name) = opening {
        text += &format!("\nopening: {name}");
    }
    if result.is_some() {
        text += &format!("\nresult: {}", self::result(*result));
    }
    text
}
