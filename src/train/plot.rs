//! Line plots in SVG with linear or logarithmic axes and a legend.

use std::fmt::Write;

/// A curve.
#[derive(Clone, Debug)]
pub struct Curve {
    /// Its name in the legend.
    pub name: String,
    /// Its points from left to right: finite, and positive on a logarithmic axis.
    pub points: Vec<(f64, f64)>,
    /// Whether it is dashed.
    pub dashed: bool,
}

/// An axis.
#[derive(Clone, Copy, Debug)]
pub struct Axis {
    /// Its label, with the unit.
    pub name: &'static str,
    /// Whether it is logarithmic.
    pub logarithmic: bool,
}

impl Axis {
    fn scale(self, value: f64) -> f64 {
        if self.logarithmic { value.log10() } else { value }
    }

    /// Round values for ticks between two scaled values.
    fn ticks(self, low: f64, high: f64) -> Vec<f64> {
        if self.logarithmic {
            let powers = low.floor() as i32..=high.ceil() as i32;
            let all = powers.flat_map(|power| [1.0, 2.0, 5.0].map(|factor| factor * 10f64.powi(power)));
            return all.filter(|tick| (low..=high).contains(&tick.log10())).collect();
        }
        let rough = (high - low) / 6.0;
        let power = 10f64.powf(rough.log10().floor());
        let step = [1.0, 2.0, 5.0, 10.0].map(|factor| factor * power).into_iter().find(|step| *step >= rough);
        let step = step.unwrap_or(rough);
        ((low / step).ceil() as i64..=(high / step).floor() as i64).map(|tick| tick as f64 * step).collect()
    }
}

const SIZE: (f64, f64) = (820.0, 480.0);
const MARGIN: (f64, f64) = (60.0, 45.0);
/// The width of the legend.
const LEGEND_WIDTH: f64 = 170.0;
const COLOURS: [&str; 8] = ["#0b62a4", "#c2410c", "#15803d", "#7e22ce", "#b91c1c", "#0f766e", "#a16207", "#475569"];

/// A tick without floating-point noise.
fn rounded(tick: f64) -> f64 {
    (tick * 1e6).round() / 1e6
}

/// The plot as an SVG document.
pub fn svg(title: &str, x: Axis, y: Axis, curves: &[Curve]) -> String {
    let points = || curves.iter().flat_map(|curve| &curve.points);
    let range = |values: &mut dyn Iterator<Item = f64>| {
        let (low, high) = values.fold((f64::MAX, f64::MIN), |(low, high), value| (low.min(value), high.max(value)));
        let edge = ((high - low) * 0.04).max(1e-6);
        (low - edge, high + edge)
    };
    let (left, right) = range(&mut points().map(|point| x.scale(point.0)));
    let (bottom, top) = range(&mut points().map(|point| y.scale(point.1)));
    let across = |value: f64| MARGIN.0 + (x.scale(value) - left) / (right - left) * (SIZE.0 - MARGIN.0 - LEGEND_WIDTH);
    let up = |value: f64| SIZE.1 - MARGIN.1 - (y.scale(value) - bottom) / (top - bottom) * (SIZE.1 - 2.0 * MARGIN.1);
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" font-family=\"sans-serif\" \
         font-size=\"12\">\n<rect width=\"{0}\" height=\"{1}\" fill=\"white\"/>\n\
         <text x=\"{2}\" y=\"24\" font-size=\"15\">{title}</text>\n",
        SIZE.0, SIZE.1, MARGIN.0
    );
    for tick in x.ticks(left, right) {
        let at = across(tick);
        let (low, high) = (SIZE.1 - MARGIN.1, MARGIN.1);
        let _ = writeln!(
            text,
            "<path d=\"M{at:.1} {low}V{high}\" stroke=\"#ddd\"/>\
             <text x=\"{at:.1}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
            low + 16.0,
            rounded(tick)
        );
    }
    for tick in y.ticks(bottom, top) {
        let at = up(tick);
        let _ = writeln!(
            text,
            "<path d=\"M{} {at:.1}H{}\" stroke=\"#ddd\"/><text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
            MARGIN.0,
            SIZE.0 - LEGEND_WIDTH,
            MARGIN.0 - 6.0,
            at + 4.0,
            rounded(tick)
        );
    }
    let _ = writeln!(
        text,
        "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>\
         <text x=\"14\" y=\"{}\" transform=\"rotate(-90 14 {3})\" text-anchor=\"middle\">{}</text>",
        (MARGIN.0 + SIZE.0 - LEGEND_WIDTH) / 2.0,
        SIZE.1 - 8.0,
        x.name,
        SIZE.1 / 2.0,
        y.name
    );
    for (index, curve) in curves.iter().enumerate() {
        let colour = COLOURS[index % COLOURS.len()];
        let coordinates: Vec<String> =
            curve.points.iter().map(|point| format!("{:.1} {:.1}", across(point.0), up(point.1))).collect();
        let dashes = if curve.dashed { " stroke-dasharray=\"5 4\"" } else { "" };
        let _ = writeln!(
            text,
            "<path d=\"M{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"{dashes}/>",
            coordinates.join("L")
        );
        for point in &coordinates {
            let (cx, cy) = point.split_once(' ').unwrap_or_default();
            let _ = writeln!(text, "<circle cx=\"{cx}\" cy=\"{cy}\" r=\"3\" fill=\"{colour}\"/>");
        }
        // The legend, in a column of its own.
        let (at, line) = (SIZE.0 - LEGEND_WIDTH + 12.0, MARGIN.1 + 18.0 * index as f64);
        let _ = writeln!(
            text,
            "<path d=\"M{at} {line}h22\" stroke=\"{colour}\" stroke-width=\"2\"{dashes}/>\
             <text x=\"{}\" y=\"{}\">{}</text>",
            at + 28.0,
            line + 4.0,
            curve.name
        );
    }
    text + "</svg>\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_coordinates_finite() {
        let curve = Curve { name: "a".into(), points: vec![(1.0, 50.0), (10.0, 75.0), (200.0, 100.0)], dashed: false };
        let axis = |logarithmic| Axis { name: "n", logarithmic };
        let text = svg("t", axis(true), axis(false), &[curve]);
        assert!(!text.contains("NaN") && !text.contains("inf"), "{text}");
        for tick in [">1<", ">100<", ">60<", ">90<"] {
            assert!(text.contains(tick), "{tick} {text}");
        }
    }
}
