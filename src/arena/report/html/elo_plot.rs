//! The Elo plot in SVG: a point and a 95 % confidence interval for each engine.

use std::fmt::Write;

use crate::arena::report::text::format_estimate;
use crate::arena::results::standings::Standings;
use crate::html::escape;
use crate::html::plot::linear_ticks;

const WIDTH: f64 = 420.0;
const MARGIN: f64 = 24.0;
const ROW: f64 = 38.0;
/// The maximum length of an engine's name; longer names are truncated.
const NAME_LETTERS: usize = 34;

/// The plot of all engines, the best at the top. Infinite interval ends are drawn as arrows at the edge.
pub fn elo_plot(standings: &Standings) -> String {
    let rows: Vec<_> = standings
        .ranking()
        .into_iter()
        .filter_map(|engine| Some((engine, standings.total(engine).sample().elo().ok()?)))
        .collect();
    if rows.is_empty() {
        return "<p class=faint>no estimate yet</p>".into();
    }
    let ends = || rows.iter().flat_map(|(_, elo)| [elo.value, elo.low, elo.high]);
    let least = if ends().all(f64::is_finite) { 20.0 } else { 400.0 };
    let reach = ends().filter(|end| end.is_finite()).fold(least, |reach: f64, end| reach.max(end.abs()));
    // Larger values are drawn as arrows.
    let reach = reach.min(800.0) * 1.1;
    let x = |value: f64| MARGIN + (value.clamp(-reach, reach) / reach + 1.0) / 2.0 * (WIDTH - 2.0 * MARGIN);
    let height = ROW * rows.len() as f64 + 30.0;
    let mut svg = format!("<svg id=elo viewBox=\"0 0 {WIDTH} {height}\" role=\"img\">");
    for value in linear_ticks(-reach, reach) {
        let _ = write!(
            svg,
            "<line x1=\"{0:.1}\" x2=\"{0:.1}\" y1=\"0\" y2=\"{1}\" class=\"{2}\"/>\
             <text x=\"{0:.1}\" y=\"{3}\" text-anchor=\"middle\" class=\"faint\">{value}</text>",
            x(value),
            height - 20.0,
            if value == 0.0 { "zero" } else { "axis" },
            height - 5.0,
        );
    }
    for (row, (engine, elo)) in rows.iter().enumerate() {
        let y = ROW * row as f64 + 27.0;
        let (low, high) = (x(elo.low), x(elo.high));
        let name = &standings.names()[*engine];
        let shown: String = name.chars().take(NAME_LETTERS).collect();
        let dots = if shown.len() < name.len() { "…" } else { "" };
        let _ = write!(
            svg,
            "<text x=\"4\" y=\"{:.1}\"><title>{}</title>{}{dots}: {}</text>",
            y - 12.0,
            escape(name),
            escape(&shown),
            format_estimate(Ok(*elo))
        );
        let _ = write!(
            svg,
            "<line x1=\"{low:.1}\" x2=\"{high:.1}\" y1=\"{y}\" y2=\"{y}\" stroke=\"var(--a)\" stroke-width=\"2\"/>"
        );
        for (end, value, direction) in [(low, elo.low, -1.0), (high, elo.high, 1.0)] {
            let shape = if value.abs() > reach {
                format!("M{} {}l{} 5l{} 5", end - direction * 6.0, y - 5.0, direction * 6.0, -direction * 6.0)
            } else {
                format!("M{end:.1} {}v12", y - 6.0)
            };
            let _ = write!(svg, "<path d=\"{shape}\" stroke=\"var(--a)\" stroke-width=\"2\" fill=\"none\"/>");
        }
        let _ = write!(svg, "<circle cx=\"{:.1}\" cy=\"{y}\" r=\"5\" fill=\"var(--a)\"/>", x(elo.value));
    }
    svg + "</svg>\n"
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::results::record::GameResult;
    use crate::arena::results::record::tests::sample_record;

    #[test]
    fn infinite_ends_stay_inside_the_plot() {
        let mut standings = Standings::new(vec!["A".into(), "B \"two\"".into()], None);
        standings.add(&sample_record(1));
        assert_eq!(elo_plot(&standings), "<p class=faint>no estimate yet</p>");
        for game in 2..=6 {
            let mut record = sample_record(game);
            (record.pair, record.result) = (game, if game < 6 { GameResult::P1Win } else { GameResult::Draw });
            standings.add(&record);
        }
        let svg = elo_plot(&standings);
        assert!(!svg.contains("NaN") && !svg.contains("\"inf") && svg.contains("B &quot;two&quot;"), "{svg}");
    }
}
