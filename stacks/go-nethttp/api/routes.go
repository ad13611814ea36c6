// Package api is the HTTP surface: one file for each workload, with the store that the workload needs.
package api

import (
	"context"
	"net/http"
	"time"
)

const pingTimeout = 2 * time.Second

// Service is something the server is connected to. What it can do beyond that, it says by the store interfaces that
// it implements.
type Service interface {
	Ping(ctx context.Context) error
	Close() error
}

// Services is what the routes work with; each may be missing.
type Services struct {
	Database     Service
	Cache        Cache
	UpstreamURL  string
	UpstreamPool int    // most connections to the upstream
	BatchSize    int    // rows of one batched insert
	Selects      string // how several selects of a request are sent: OneAtATime, Pipelined or Coalesced
}

// Routes is the HTTP surface. The ServeMux itself answers 404 for other paths and 405 for other methods. Routes whose
// service is not there answer 503.
func Routes(s Services) http.Handler {
	mux := http.NewServeMux()
	handle := func(pattern string, h handler) { mux.Handle(pattern, h) }

	handle("GET /health", health(s))
	handle("GET /plaintext", plaintext)
	handle("GET /stream/{events}/{milliseconds}", stream)

	items := routes[ItemStore](s.Database)
	handle("GET /items/random", items(randomItem))
	handle("GET /items/{uuid}", items(itemByUUID))
	handle("GET /items/several/{ids}", routes[SelectStore](s.Database)(severalItems(s.Selects)))

	surveys := surveyRoutes(s)
	handle("POST /survey/{survey}/{user}", surveys.insert)
	handle("PUT /survey/{survey}/{user}", surveys.replace)
	handle("POST /surveybatched/{survey}/{user}", surveys.insertBatched)

	handle("GET /links/{key}", routes[LinkStore](s.Database)(link))
	handle("GET /categories", routes[CategoryStore](s.Database)(categories))

	queries := routes[QueryStore](s.Database)
	handle("GET /queries/short", queries(shortQuery))
	handle("GET /queries/long/{milliseconds}", queries(longQuery))
	handle("GET /queries/chain/{milliseconds}/{short}", queries(queryChain))

	handle("GET /fan-out", fanOut(s.UpstreamURL, s.UpstreamPool))
	handle("POST /units/{weight}", routes[UnitStore](s.Database)(unit))

	article, similar, articlesOfUser := articleRoutes(s.Database)
	handle("GET /articles/{id}", article)
	handle("GET /articles/{id}/similar", similar)
	handle("GET /users/{id}/articles", articlesOfUser)

	handle("GET /pages/{id}", routes[PageStore](s.Database)(page(s.Cache)))
	return mux
}

// routes makes handlers of what needs a store S, if the database is one.
func routes[S any](database Service) func(func(S) handler) handler {
	store, is := database.(S)
	return func(build func(S) handler) handler {
		if !is {
			return unavailable
		}
		return build(store)
	}
}

func unavailable(http.ResponseWriter, *http.Request) error {
	return status(http.StatusServiceUnavailable)
}

func health(s Services) handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		ctx, cancel := context.WithTimeout(r.Context(), pingTimeout)
		defer cancel()
		if s.Database != nil {
			if err := s.Database.Ping(ctx); err != nil {
				return failure{http.StatusServiceUnavailable, err}
			}
		}
		if s.Cache != nil {
			if err := s.Cache.Ping(ctx); err != nil {
				return failure{http.StatusServiceUnavailable, err}
			}
		}
		return answerText(w, "text/plain; charset=utf-8", "ok")
	}
}

func plaintext(w http.ResponseWriter, _ *http.Request) error {
	return answerText(w, "text/plain", "Hello, World!")
}
