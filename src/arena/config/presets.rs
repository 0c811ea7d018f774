//! The settings of engines of other authors that package managers install, for `conf=NAME`.
//! protocol.md describes them and how to play engines that have to be built.

/// All presets: the name after `conf=`, and in tables and records; and the other settings, in the
/// syntax of `--engine`.
pub const PRESETS: [(&str, &[&str]); 2] = [
    (
        "gtp-rhino",
        // Its level limits a search, and GTP has no fractions of a second.
        &["cmd=gtp-rhino --level=4", "proto=gtp", "tc=inf"],
    ),
    (
        "fairy-stockfish",
        // From npm, where Node.js would otherwise take its files for web addresses. It exceeds short
        // times per move, so that the margin is large.
        &[
            "cmd=node --no-experimental-fetch node_modules/fairy-stockfish-nnue.wasm/uci.js",
            "proto=uci",
            "timemargin=60000",
        ],
    ),
];

/// The settings of the preset with this name, in the syntax of `--engine`.
pub fn words(name: &str) -> Option<Vec<String>> {
    let (_, settings) = PRESETS.into_iter().find(|(known, _)| *known == name)?;
    let words = settings.iter().map(|&word| word.into());
    Some([format!("name={name}")].into_iter().chain(words).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::config::engine_spec::EngineSpec;

    #[test]
    fn every_preset_is_an_engine_that_own_settings_override_and_is_documented() {
        let manual = include_str!("../../../protocol.md");
        for (name, _) in PRESETS {
            let words = words(name).unwrap();
            let spec = EngineSpec::parse(&words, &[]).unwrap();
            assert_eq!(spec.name, name);
            assert!(!spec.command.is_empty());
            let spec = EngineSpec::parse(&words, &["name=x".into(), "depth=3".into()]).unwrap();
            assert_eq!((spec.name.as_str(), spec.depth), ("x", Some(3)));
            let documented = format!("`conf={name}`");
            assert!(manual.contains(&documented), "{documented}");
        }
        assert_eq!(words("none"), None);
    }
}
