// Package similar finds the articles most similar to one, by the cosine of their weighted terms.
package similar

import "strings"

var stopWords = func() map[string]bool {
	words := map[string]bool{}
	for word := range strings.FieldsSeq(
		"a an and are as at be by for from in is it of on or that the to was with") {
		words[word] = true
	}
	return words
}()

// terms gives the stemmed terms of a text, in their order.
func terms(text string) []string {
	var found []string
	for word := range strings.FieldsFuncSeq(strings.ToLower(text), func(r rune) bool { return r < 'a' || r > 'z' }) {
		if !stopWords[word] {
			found = append(found, stem(word))
		}
	}
	return found
}

// stem is Harman's S stemmer: D. Harman, How effective is suffixing?, JASIS 42(1), 1991, table 1.
func stem(word string) string {
	switch length := len(word); {
	case length > 4 && endsIn(word, "ies") && !endsIn(word, "eies", "aies"):
		return word[:length-3] + "y"
	case length > 3 && endsIn(word, "es") && !endsIn(word, "aes", "ees", "oes"):
		return word[:length-1]
	case length > 2 && endsIn(word, "s") && !endsIn(word, "us", "ss"):
		return word[:length-1]
	default:
		return word
	}
}

func endsIn(word string, endings ...string) bool {
	for _, ending := range endings {
		if strings.HasSuffix(word, ending) {
			return true
		}
	}
	return false
}
