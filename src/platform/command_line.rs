//! Splits a command line into words, joins words into a command line for the user's shell, and
//! suggests names for mistyped ones.

/// The words of a command, by the rules of a POSIX shell or those of [`split_windows`]. `None` if a
/// quote is left open.
pub fn split(text: &str) -> Option<Vec<String>> {
    if cfg!(windows) {
        split_windows(text)
    } else {
        shlex::split(text)
    }
}

/// The command line of these words, the inverse of [`split`].
pub fn join(words: &[impl AsRef<str>]) -> String {
    let words = || words.iter().map(AsRef::as_ref);
    if cfg!(windows) {
        words().map(quote_windows).collect::<Vec<_>>().join(" ")
    } else {
        shlex::try_join(words()).unwrap_or_default() // no word of a command line has a NUL byte
    }
}

/// The words of the command line of this process, to be shown: what is not Unicode is replaced.
pub fn own_words() -> Vec<String> {
    let lossy = |word: std::ffi::OsString| word.to_string_lossy().into_owned();
    std::env::args_os().map(lossy).collect()
}

/// The minimum similarity (0 to 1) of a suggested name.
const SIMILAR: f64 = 0.7;

/// The name most similar to `name`, ignoring case, if any is similar.
pub fn nearest<'a>(name: &str, listed: &[&'a str]) -> Option<&'a str> {
    let name = name.to_lowercase();
    let scored = listed
        .iter()
        .map(|other| (strsim::jaro_winkler(&name, &other.to_lowercase()), *other));
    let best = scored.max_by(|(a, _), (b, _)| a.total_cmp(b));
    best.filter(|(similarity, _)| *similarity >= SIMILAR)
        .map(|(_, name)| name)
}

/// Splits at blanks outside double quotes. Two double quotes inside quotes are one; a backslash is
/// an ordinary character, since paths contain it.
fn split_windows(text: &str) -> Option<Vec<String>> {
    let (mut words, mut word, mut quoted) = (Vec::new(), None::<String>, false);
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        if c == '"' && !(quoted && rest.next_if_eq(&'"').is_some()) {
            quoted = !quoted;
            word.get_or_insert_default();
        } else if c.is_whitespace() && !quoted {
            words.extend(word.take());
        } else {
            word.get_or_insert_default().push(c);
        }
    }
    words.extend(word);
    (!quoted).then_some(words)
}

fn quote_windows(word: &str) -> String {
    let plain = !word.is_empty() && !word.contains(|c: char| c.is_whitespace() || c == '"');
    if plain {
        word.into()
    } else {
        format!("\"{}\"", word.replace('"', "\"\""))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_similar_name_is_suggested_whatever_its_case() {
        let listed = ["MultiPV", "UCI_Elo", "Threads"];
        assert_eq!(nearest("uci_elo", &listed), Some("UCI_Elo"));
        assert_eq!(nearest("THREDS", &listed), Some("Threads"));
        assert_eq!(nearest("Book File", &listed), None);
    }

    #[test]
    fn windows_words_keep_backslashes() {
        let words =
            split_windows(r#"C:\engines\nw.exe --file "C:\my games\a.txt" "" x="1 2"3 it's  "#)
                .unwrap();
        assert_eq!(
            words,
            [
                r"C:\engines\nw.exe",
                "--file",
                r"C:\my games\a.txt",
                "",
                "x=1 23",
                "it's"
            ]
        );
        assert_eq!(split_windows("  "), Some(Vec::new()));
        assert_eq!(split_windows("a \"b"), None);
    }

    #[test]
    fn joined_words_are_split_into_the_same_words() {
        let words = [
            "a",
            "",
            "b c",
            r"C:\d e\",
            "it's",
            "say \"no\"",
            "\"",
            "tab\there",
        ];
        assert_eq!(split(&join(&words)).unwrap(), words);
        let joined: Vec<String> = words.iter().map(|word| quote_windows(word)).collect();
        assert_eq!(split_windows(&joined.join(" ")).unwrap(), words);
    }
}
