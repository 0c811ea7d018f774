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
        if self.logarithmic {
            value.log10()
        } else {
            value
        }
    }

    /// The range of scaled values with a margin; a single value is in the middle.
    fn range(self, values: impl Iterator<Item = f64>) -> (f64, f64) {
        let (low, high) = values.fold((f64::MAX, f64::MIN), |(low, high), value| {
            (low.min(value), high.max(value))
        });
        let edge = match high - low {
            span if span > 1e-9 * low.abs().max(high.abs()) => 0.04 * span,
            _ if self.logarithmic => 0.7,
            _ if low == 0.0 => 1.0,
            _ => 0.1 * low.abs(),
        };
        (low - edge, high + edge)
    }

    /// Round values for ticks between two scaled values.
    fn ticks(self, low: f64, high: f64) -> Vec<f64> {
        if !self.logarithmic {
            return linear_ticks(low, high);
        }
        let ticks_of = |factors: &[i32]| -> Vec<f64> {
            let powers = low.floor() as i32..=high.ceil() as i32;
            let all = powers.flat_map(|power| {
                factors
                    .iter()
                    .map(move |&factor| f64::from(factor) * 10f64.powi(power))
            });
            all.filter(|tick| (low..=high).contains(&tick.log10()))
                .collect()
        };
        let all = [&[1][..], &[1, 2, 5], &[1, 2, 3, 4, 5, 6, 7, 8, 9]].map(ticks_of);
        // A small part of a decade has linear ticks.
        let enough = all.into_iter().find(|ticks| ticks.len() >= 4);
        enough.unwrap_or_else(|| linear_ticks(10f64.powf(low), 10f64.powf(high)))
    }
}

/// Round values for about six ticks.
pub fn linear_ticks(low: f64, high: f64) -> Vec<f64> {
    let rough = (high - low) / 6.0;
    let power = 10f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0]
        .map(|factor| factor * power)
        .into_iter()
        .find(|step| *step >= rough);
    let step = step.unwrap_or(rough);
    ((low / step).ceil() as i64..=(high / step).floor() as i64)
        .map(|tick| tick as f64 * step)
        .collect()
}

/// The plot without its legend.
const SIZE: (f64, f64) = (650.0, 480.0);
const MARGIN: (f64, f64) = (76.0, 45.0);
/// The left edge of the names in the legend.
const LEGEND_TEXT: f64 = 40.0;
/// The maximum mean width of a letter in the legend.
const LETTER: f64 = 7.5;
const COLORS: [&str; 8] = [
    "#0b62a4", "#c2410c", "#15803d", "#7e22ce", "#b91c1c", "#0f766e", "#a16207", "#475569",
];

/// A tick without floating-point noise.
fn rounded(tick: f64) -> f64 {
    format!("{tick:.9e}").parse().unwrap_or(tick)
}

/// The plot as an SVG document.
pub fn svg(title: &str, x: Axis, y: Axis, curves: &[Curve]) -> String {
    let points = || curves.iter().flat_map(|curve| &curve.points);
    let (left, right) = x.range(points().map(|point| x.scale(point.0)));
    let (bottom, top) = y.range(points().map(|point| y.scale(point.1)));
    let across =
        |value: f64| MARGIN.0 + (x.scale(value) - left) / (right - left) * (SIZE.0 - MARGIN.0);
    let longest_name = curves
        .iter()
        .map(|curve| curve.name.chars().count())
        .max()
        .unwrap_or(0);
    let up = |value: f64| {
        SIZE.1 - MARGIN.1 - (y.scale(value) - bottom) / (top - bottom) * (SIZE.1 - 2.0 * MARGIN.1)
    };
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" font-family=\"sans-serif\" \
         font-size=\"12\">\n<rect width=\"{0}\" height=\"{1}\" fill=\"white\"/>\n\
         <text x=\"{2}\" y=\"24\" font-size=\"15\">{title}</text>\n",
        SIZE.0 + LEGEND_TEXT + LETTER * longest_name as f64 + 12.0,
        SIZE.1,
        MARGIN.0
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
            SIZE.0,
            MARGIN.0 - 6.0,
            at + 4.0,
            rounded(tick)
        );
    }
    let _ = writeln!(
        text,
        "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>\
         <text x=\"14\" y=\"{}\" transform=\"rotate(-90 14 {3})\" text-anchor=\"middle\">{}</text>",
        (MARGIN.0 + SIZE.0) / 2.0,
        SIZE.1 - 8.0,
        x.name,
        SIZE.1 / 2.0,
        y.name
    );
    for (index, curve) in curves.iter().enumerate() {
        let color = COLORS[index % COLORS.len()];
        let coordinates: Vec<String> = curve
            .points
            .iter()
            .map(|point| format!("{:.1} {:.1}", across(point.0), up(point.1)))
            .collect();
        let dashes = if curve.dashed {
            " stroke-dasharray=\"5 4\""
        } else {
            ""
        };
        let _ = writeln!(
            text,
            "<path d=\"M{}\" fill=\"none\" stroke=\"{color}\" stroke-width=\"2\"{dashes}/>",
            coordinates.join("L")
        );
        for point in &coordinates {
            let (cx, cy) = point.split_once(' ').unwrap_or_default();
            let _ = writeln!(
                text,
                "<circle cx=\"{cx}\" cy=\"{cy}\" r=\"3\" fill=\"{color}\"/>"
            );
        }
        // The legend, in a separate column.
        let (at, line) = (SIZE.0 + 12.0, MARGIN.1 + 18.0 * index as f64);
        let _ = writeln!(
            text,
            "<path d=\"M{at} {line}h22\" stroke=\"{color}\" stroke-width=\"2\"{dashes}/>\
             <text x=\"{}\" y=\"{}\">{}</text>",
            SIZE.0 + LEGEND_TEXT,
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
        let curve = Curve {
            name: "a".into(),
            points: vec![(1.0, 50.0), (10.0, 75.0), (200.0, 100.0)],
            dashed: false,
        };
        let axis = |logarithmic| Axis {
            name: "n",
            logarithmic,
        };
        let text = svg("t", axis(true), axis(false), &[curve]);
        assert!(!text.contains("NaN") && !text.contains("inf"), "{text}");
        for tick in [">1<", ">100<", ">60<", ">90<"] {
            assert!(text.contains(tick), "{tick} {text}");
        }
    }

    #[test]
    fn a_single_point_has_a_few_round_ticks_around_it() {
        let plot = |point, logarithmic| {
            let curve = Curve {
                name: "a".into(),
                points: vec![point],
                dashed: false,
            };
            let axis = Axis {
                name: "n",
                logarithmic,
            };
            let ticks = |value: f64| {
                let (low, high) = axis.range([axis.scale(value)].into_iter());
                axis.ticks(low, high)
                    .into_iter()
                    .map(rounded)
                    .collect::<Vec<_>>()
            };
            assert!(svg("t", axis, axis, &[curve]).contains("<circle cx=\"363.0\" cy=\"240.0\""));
            ticks(point.0)
        };
        assert_eq!(plot((20.0, 20.0), false), [18.0, 19.0, 20.0, 21.0, 22.0]);
        assert_eq!(plot((0.0, 0.0), false), [-1.0, -0.5, 0.0, 0.5, 1.0]);
        assert_eq!(plot((0.0003, 0.0003), true), [1e-4, 2e-4, 5e-4, 1e-3]);
    }

    #[test]
    fn a_logarithmic_axis_has_ticks_at_every_length() {
        let axis = Axis {
            name: "n",
            logarithmic: true,
        };
        let ticks = |low: f64, high: f64| {
            axis.ticks(low.log10(), high.log10())
                .into_iter()
                .map(rounded)
                .collect::<Vec<_>>()
        };
        assert_eq!(ticks(2.1, 2.9), [2.2, 2.4, 2.6, 2.8]);
        assert_eq!(ticks(2.0, 6.5), [2.0, 3.0, 4.0, 5.0, 6.0]);
        assert_eq!(ticks(1e-7, 2e3).len(), 11);
    }

    #[test]
    fn the_picture_is_wide_enough_for_the_legend() {
        let name = "multi-ProbCut, tuned, random nodes, on held-out positions";
        let curve = Curve {
            name: name.into(),
            points: vec![(1.0, 2.0), (2.0, 3.0)],
            dashed: false,
        };
        let axis = Axis {
            name: "n",
            logarithmic: false,
        };
        let text = svg("t", axis, axis, &[curve]);
        let width: f64 = text.split(' ').nth(4).unwrap().parse().unwrap();
        assert!(width > 690.0 + 7.0 * name.len() as f64, "{width}");
    }
}
