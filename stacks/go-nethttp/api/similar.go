package api

import (
	"context"
	"net/http"
	"strconv"

	"fairtrial/go-nethttp/lazy"
	"fairtrial/go-nethttp/model"
	"fairtrial/go-nethttp/similar"
)

const mostSimilar = 10

// ArticleStore reads the table articles.
type ArticleStore interface {
	Articles(ctx context.Context) ([]model.Article, error)
}

// similarArticles keeps the term vectors of the articles; similarities are computed in each request.
func similarArticles(store ArticleStore) handler {
	type answer struct {
		ID      int64   `json:"id"`
		Similar []int64 `json:"similar"`
	}
	var kept lazy.Value[*similar.Articles]
	load := func(ctx context.Context) (*similar.Articles, error) {
		articles, err := store.Articles(ctx)
		if err != nil {
			return nil, err
		}
		return similar.Vectors(articles), nil
	}
	return func(w http.ResponseWriter, r *http.Request) error {
		id, err := strconv.ParseInt(r.PathValue("id"), 10, 64)
		if err != nil {
			return model.ErrNone
		}
		articles, err := kept.Get(r.Context(), load)
		if err != nil {
			return err
		}
		ids, known := articles.MostSimilar(id, mostSimilar)
		if !known {
			return model.ErrNone
		}
		return answerJSON(w, answer{id, ids})
	}
}
