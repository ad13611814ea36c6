package api

import (
	"context"
	"errors"
	"html/template"
	"net/http"
	"strconv"
	"strings"
	"time"

	"fairtrial/go-nethttp/model"
)

const (
	fragmentKey  = "fragment:categories"
	fragmentLife = 60 * time.Second
	itemsBefore  = 10
)

// PageStore asks what a page shows. PageItem gives model.ErrNone where there is none.
type PageStore interface {
	PageItem(ctx context.Context, id int64) (model.PageItem, error)
	NamesBefore(ctx context.Context, id int64, limit int) ([]string, error)
	CountCategories(ctx context.Context) (int64, error)
	CategoryStore
}

// Cache keeps fragments of pages. Get gives model.ErrNone where there is none.
type Cache interface {
	Service
	Get(ctx context.Context, key string) (string, error)
	Set(ctx context.Context, key, value string, life time.Duration) error
}

var (
	pageTemplate = template.Must(template.New("page").Parse(
		`<!doctype html><html><head><meta charset="utf-8"><title>{{.Item.Name}}</title></head><body>` +
			`<nav>{{.Categories}}</nav>` +
			`<h1>{{.Item.Name}}</h1><p>{{.Item.UUID}}</p><p>{{.Item.Description}}</p>` +
			`<ol>{{range .Before}}<li>{{.}}</li>{{end}}</ol>` +
			`<footer>{{.Count}} categories</footer></body></html>`))
	fragmentTemplate = template.Must(template.New("categories").Parse(
		`<ul>{{range .}}<li>{{.Name}}</li>{{end}}</ul>`))
)

type pageContent struct {
	Item       model.PageItem
	Before     []string
	Count      int64
	Categories template.HTML
}

func page(cache Cache) func(PageStore) handler {
	return func(store PageStore) handler {
		if cache == nil {
			return unavailable
		}
		return func(w http.ResponseWriter, r *http.Request) error {
			id, err := strconv.ParseInt(r.PathValue("id"), 10, 64)
			if err != nil {
				return model.ErrNone
			}
			content, err := readPage(r.Context(), store, cache, id)
			if err != nil {
				return err
			}
			var html strings.Builder
			if err := pageTemplate.Execute(&html, content); err != nil {
				return err
			}
			return answerText(w, "text/html; charset=utf-8", html.String())
		}
	}
}

func readPage(ctx context.Context, store PageStore, cache Cache, id int64) (content pageContent, err error) {
	if content.Item, err = store.PageItem(ctx, id); err != nil {
		return content, err
	}
	if content.Before, err = store.NamesBefore(ctx, id, itemsBefore); err != nil {
		return content, err
	}
	if content.Count, err = store.CountCategories(ctx); err != nil {
		return content, err
	}
	fragment, err := categoriesFragment(ctx, store, cache)
	content.Categories = template.HTML(fragment) // rendered by fragmentTemplate, which has escaped it
	return content, err
}

func categoriesFragment(ctx context.Context, store CategoryStore, cache Cache) (string, error) {
	kept, err := cache.Get(ctx, fragmentKey)
	if !errors.Is(err, model.ErrNone) {
		return kept, err
	}
	all, err := store.Categories(ctx)
	if err != nil {
		return "", err
	}
	var html strings.Builder
	if err := fragmentTemplate.Execute(&html, all); err != nil {
		return "", err
	}
	return html.String(), cache.Set(ctx, fragmentKey, html.String(), fragmentLife)
}
