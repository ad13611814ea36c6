//! From a text to its terms.

const STOP_WORDS: [&str; 21] = [
    "a", "an", "and", "are", "as", "at", "be", "by", "for", "from", "in", "is", "it", "of", "on",
    "or", "that", "the", "to", "was", "with",
];

/// The stemmed terms of a text, in their order.
pub fn terms(text: &str) -> Vec<String> {
    text.to_lowercase()
        .split(|character: char| !character.is_ascii_lowercase())
        .filter(|word| !word.is_empty() && !STOP_WORDS.contains(word))
        .map(stem)
        .collect()
}

/// Harman's S stemmer: D. Harman, How effective is suffixing?, JASIS 42(1), 1991, table 1.
fn stem(word: &str) -> String {
    let ends_in = |endings: &[&str]| endings.iter().any(|ending| word.ends_with(ending));
    let without = |letters: usize| &word[..word.len() - letters];
    if word.len() > 4 && ends_in(&["ies"]) && !ends_in(&["eies", "aies"]) {
        format!("{}y", without(3))
    } else if word.len() > 3 && ends_in(&["es"]) && !ends_in(&["aes", "ees", "oes"])
        || word.len() > 2 && ends_in(&["s"]) && !ends_in(&["us", "ss"])
    {
        without(1).to_owned()
    } else {
        word.to_owned()
    }
}
