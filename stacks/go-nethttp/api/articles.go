package api

import (
	"context"
	"math"
	"net/http"
	"strconv"

	"fairtrial/go-nethttp/lazy"
	"fairtrial/go-nethttp/model"
	"fairtrial/go-nethttp/similar"
)

const (
	mostSimilar = 10
	million     = 1e6
)

// ArticleStore reads the table articles.
type ArticleStore interface {
	Articles(ctx context.Context) ([]model.Article, error)
}

// RatingStore reads the tables articles and ratings.
type RatingStore interface {
	ArticleStore
	Ratings(ctx context.Context) ([]model.Rating, error)
}

// articles keeps the names and the term vectors of the articles; matches are computed in each request.
type articles struct {
	store ArticleStore
	kept  lazy.Value[*similar.Articles]
}

func (a *articles) get(ctx context.Context) (*similar.Articles, error) {
	return a.kept.Get(ctx, func(ctx context.Context) (*similar.Articles, error) {
		all, err := a.store.Articles(ctx)
		if err != nil {
			return nil, err
		}
		return similar.Vectors(all), nil
	})
}

// articleRoutes are those of similar-items and matching-mix.
func articleRoutes(database Service) (article, alike, ofUser handler) {
	article, alike, ofUser = unavailable, unavailable, unavailable
	if store, is := database.(ArticleStore); is {
		kept := &articles{store: store}
		article, alike = kept.article, kept.similar
		if ratings, is := database.(RatingStore); is {
			ofUser = kept.ofUsers(ratings)
		}
	}
	return article, alike, ofUser
}

func (a *articles) article(w http.ResponseWriter, r *http.Request) error {
	type answer struct {
		ID   int64  `json:"id"`
		Name string `json:"name"`
	}
	id, kept, err := a.asked(r)
	if err != nil {
		return err
	}
	name, known := kept.Name(id)
	if !known {
		return model.ErrNone
	}
	return answerJSON(w, answer{id, name})
}

func (a *articles) similar(w http.ResponseWriter, r *http.Request) error {
	type answer struct {
		ID      int64   `json:"id"`
		Similar []int64 `json:"similar"`
	}
	id, kept, err := a.asked(r)
	if err != nil {
		return err
	}
	matches, known := kept.MostSimilar(id, mostSimilar)
	if !known {
		return model.ErrNone
	}
	ids := make([]int64, len(matches))
	for place, match := range matches {
		ids[place] = match.ID
	}
	return answerJSON(w, answer{id, ids})
}

// asked gives the id of the path, and what is kept.
func (a *articles) asked(r *http.Request) (int64, *similar.Articles, error) {
	id, err := strconv.ParseInt(r.PathValue("id"), 10, 64)
	if err != nil {
		return 0, nil, model.ErrNone
	}
	kept, err := a.get(r.Context())
	return id, kept, err
}

// ofUsers keeps which articles each user has rated; a user's vector and the matches are computed in each request.
func (a *articles) ofUsers(store RatingStore) handler {
	type match struct {
		ID                   int64 `json:"id"`
		SimilarityMillionths int64 `json:"similarity_millionths"`
	}
	type answer struct {
		ID       int64   `json:"id"`
		Articles []match `json:"articles"`
	}
	var rated lazy.Value[map[int64][]int64]
	load := func(ctx context.Context) (map[int64][]int64, error) {
		ratings, err := store.Ratings(ctx)
		byUser := map[int64][]int64{}
		for _, rating := range ratings {
			byUser[rating.User] = append(byUser[rating.User], rating.Article)
		}
		return byUser, err
	}
	return func(w http.ResponseWriter, r *http.Request) error {
		user, kept, err := a.asked(r)
		if err != nil {
			return err
		}
		byUser, err := rated.Get(r.Context(), load)
		if err != nil {
			return err
		}
		if byUser[user] == nil {
			return model.ErrNone
		}
		best := []match{}
		for _, found := range kept.BestFor(byUser[user], mostSimilar) {
			best = append(best, match{found.ID, int64(math.Round(found.Similarity * million))})
		}
		return answerJSON(w, answer{user, best})
	}
}
