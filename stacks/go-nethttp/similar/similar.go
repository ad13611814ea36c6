package similar

import (
	"cmp"
	"math"
	"slices"

	"fairtrial/go-nethttp/model"
)

// Articles holds the term vectors of all articles.
type Articles struct {
	ids     []int64
	vectors []vector
	places  map[int64]int
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

	a := &Articles{places: map[int64]int{}}
	for place, article := range articles {
		a.places[article.ID] = place
		a.ids = append(a.ids, article.ID)
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
	length := math.Sqrt(weighed.times(weighed))
	if length == 0 { // all its terms are in every article: nothing is similar to it
		return nil
	}
	for place := range weighed {
		weighed[place].weight /= length
	}
	return weighed
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

// MostSimilar gives the ids of the articles most similar to this one, most similar first, ties by lower id; false if
// there is no such article.
func (a *Articles) MostSimilar(id int64, limit int) ([]int64, bool) {
	wanted, known := a.places[id]
	if !known {
		return nil, false
	}
	type candidate struct {
		similarity float64
		id         int64
	}
	others := make([]candidate, 0, len(a.ids))
	for place, other := range a.vectors {
		if place != wanted {
			others = append(others, candidate{a.vectors[wanted].times(other), a.ids[place]})
		}
	}
	slices.SortFunc(others, func(one, other candidate) int {
		return cmp.Or(cmp.Compare(other.similarity, one.similarity), cmp.Compare(one.id, other.id))
	})
	ids := make([]int64, 0, limit)
	for _, other := range others[:min(limit, len(others))] {
		ids = append(ids, other.id)
	}
	return ids, true
}
