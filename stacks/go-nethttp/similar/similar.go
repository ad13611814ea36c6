package similar

import (
	"cmp"
	"math"
	"slices"

	"fairtrial/go-nethttp/model"
)

// Articles holds the names and the term vectors of all articles.
type Articles struct {
	ids     []int64
	names   []string
	vectors []vector
	places  map[int64]int
	terms   int // how many there are
}

// Match is an article and its similarity, the cosine of its vector and the one that it was matched with.
type Match struct {
	ID         int64
	Similarity float64
}

// vector has length 1. Its entries are in the order of their terms' numbers, so that the sum of the products of two
// vectors is taken in the same order each time, whichever of them comes first.
type vector []entry

type entry struct {
	term   int
	weight float64
}

// Vectors weighs the terms of each article: tf × ln(N / df).
func Vectors(articles []model.Article) *Articles {
	numbers := map[string]int{}
	var documents []int // with a term, by its number
	counted := make([]map[int]int, len(articles))
	for place, article := range articles {
		counted[place] = map[int]int{}
		for _, field := range []struct {
			text   string
			weight int
		}{{article.Name, 10}, {article.Description, 3}, {article.Type, 1}, {article.Tags, 1}} {
			for _, term := range terms(field.text) {
				number, known := numbers[term]
				if !known {
					number = len(documents)
					numbers[term] = number
					documents = append(documents, 0)
				}
				if counted[place][number] == 0 {
					documents[number]++
				}
				counted[place][number] += field.weight
			}
		}
	}

	a := &Articles{places: map[int64]int{}, terms: len(documents)}
	for place, article := range articles {
		a.places[article.ID] = place
		a.ids = append(a.ids, article.ID)
		a.names = append(a.names, article.Name)
		a.vectors = append(a.vectors, weigh(counted[place], documents, len(articles)))
	}
	return a
}

func weigh(counted map[int]int, documents []int, articles int) vector {
	weighed := make(vector, 0, len(counted))
	for term, count := range counted {
		idf := math.Log(float64(articles) / float64(documents[term]))
		weighed = append(weighed, entry{term, float64(count) * idf})
	}
	slices.SortFunc(weighed, func(one, other entry) int { return cmp.Compare(one.term, other.term) })
	return weighed.scaled()
}

// scaled changes the vector to length 1.
func (v vector) scaled() vector {
	length := math.Sqrt(v.times(v))
	if length == 0 { // all its terms are in every article: nothing is similar to it
		return nil
	}
	for place := range v {
		v[place].weight /= length
	}
	return v
}

// times is the sum of the products of the weights of common terms.
func (v vector) times(other vector) float64 {
	sum := 0.0
	for i, j := 0, 0; i < len(v) && j < len(other); {
		switch {
		case v[i].term < other[j].term:
			i++
		case v[i].term > other[j].term:
			j++
		default:
			// The conversion keeps the compiler from fusing the operations, which would round differently.
			sum += float64(v[i].weight * other[j].weight)
			i++
			j++
		}
	}
	return sum
}

// Name gives an article's name; false if there is no such article.
func (a *Articles) Name(id int64) (string, bool) {
	place, known := a.places[id]
	if !known {
		return "", false
	}
	return a.names[place], true
}

// MostSimilar gives the articles most similar to this one, most similar first, ties by lower id; false if there is no
// such article.
func (a *Articles) MostSimilar(id int64, limit int) ([]Match, bool) {
	place, known := a.places[id]
	if !known {
		return nil, false
	}
	return a.matches(a.vectors[place], []int64{id}, limit), true
}

// BestFor gives the articles most similar to the sum of those that a user rated, without them, in the same order.
func (a *Articles) BestFor(rated []int64, limit int) []Match {
	return a.matches(a.sum(rated), rated, limit)
}

func (a *Articles) sum(ids []int64) vector {
	weights := make([]float64, a.terms)
	for _, id := range ids {
		for _, e := range a.vectors[a.places[id]] {
			weights[e.term] += e.weight
		}
	}
	var total vector
	for term, weight := range weights {
		if weight > 0 {
			total = append(total, entry{term, weight})
		}
	}
	return total.scaled()
}

func (a *Articles) matches(own vector, leftOut []int64, limit int) []Match {
	others := make([]Match, 0, len(a.ids))
	for place, other := range a.vectors {
		if !slices.Contains(leftOut, a.ids[place]) {
			others = append(others, Match{a.ids[place], own.times(other)})
		}
	}
	slices.SortFunc(others, func(one, other Match) int {
		return cmp.Or(cmp.Compare(other.Similarity, one.Similarity), cmp.Compare(one.ID, other.ID))
	})
	return others[:min(limit, len(others))]
}
