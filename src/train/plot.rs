//! The errors of a fit by epoch, drawn as SVG: a line for each phase of the game and a thick one for all.

use std::fmt::Write;

use super::eval::{PHASE, PHASES, Row};

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 420.0;
const LEFT: f64 = 50.0;
const RIGHT: f64 = 90.0;
const MARGIN: f64 = 30.0;

/// The drawing.
pub fn errors(history: &[Row]) -> String {
    let most = history.iter().flatten().fold(1.0f64, |most, &error| most.max(error)).ceil();
    let last = history.len().saturating_sub(1).max(1) as f64;
    let x = |epoch: usize| LEFT + (WIDTH - LEFT - RIGHT) * epoch as f64 / last;
    let y = |error: f64| HEIGHT - MARGIN - (HEIGHT - 2.0 * MARGIN) * error / most;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" font-family=\"sans-serif\" font-size=\"12\">\n\
         <text x=\"{LEFT}\" y=\"18\">mean absolute error on held-out games, in discs, by epoch</text>\n"
    );
    for step in 0..=4 {
        let error = most * f64::from(step) / 4.0;
        let at = y(error);
        let _ = writeln!(
            svg,
            "<line x1=\"{LEFT}\" x2=\"{:.1}\" y1=\"{at:.1}\" y2=\"{at:.1}\" stroke=\"#ddd\"/><text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{error:.1}</text>",
            WIDTH - RIGHT,
            LEFT - 6.0,
            at + 4.0
        );
    }
    for phase in 0..=PHASES {
        let all = phase == PHASES;
        let points = history.iter().enumerate().map(|(epoch, row)| format!("{:.1},{:.1}", x(epoch), y(row[phase])));
        let colour = if all { "#000".into() } else { format!("hsl({},70%,45%)", 300 * phase / PHASES) };
        let name = if all { "all".into() } else { format!("ply {}-", phase * PHASE) };
        let _ = writeln!(
            svg,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"{}\"/>\
             <text x=\"{:.1}\" y=\"{:.1}\" fill=\"{colour}\">{name}</text>",
            points.collect::<Vec<_>>().join(" "),
            if all { 3 } else { 1 },
            WIDTH - RIGHT + 6.0,
            MARGIN + 20.0 * (phase + 1) as f64
        );
    }
    let _ = writeln!(
        svg,
        "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
        WIDTH - RIGHT,
        HEIGHT - 10.0,
        history.len()
    );
    svg + "</svg>\n"
}
