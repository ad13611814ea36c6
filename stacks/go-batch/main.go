// Command batch does the job query-batch: long queries with short ones behind each, shared out over as many
// goroutines as connections.
package main

import (
	"context"
	"database/sql"
	"fmt"
	"log"
	"net/url"
	"os"
	"strconv"
	"sync"

	"github.com/go-sql-driver/mysql"
	_ "github.com/jackc/pgx/v5/stdlib"
)

type query struct {
	statement string
	arguments []any
}

func main() {
	log.SetFlags(0)
	if err := run(context.Background()); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context) error {
	if job := os.Getenv("JOB"); job != "query-batch" {
		return fmt.Errorf("there is no job %q; there is query-batch", job)
	}
	var numbers [4]int
	for place, name := range []string{"LONG_QUERIES", "SHORT_PER_LONG", "LONG_MILLISECONDS", "DB_POOL"} {
		number, err := strconv.Atoi(os.Getenv(name))
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		numbers[place] = number
	}
	long, short, milliseconds, connections := numbers[0], numbers[1], numbers[2], numbers[3]

	database, sleep, err := open(os.Getenv("DATABASE_URL"))
	if err != nil {
		return err
	}
	defer database.Close()
	database.SetMaxOpenConns(connections)
	database.SetMaxIdleConns(connections)

	queries := make(chan query)
	go func() {
		defer close(queries)
		for range long {
			queries <- query{sleep, []any{float64(milliseconds) / 1000}}
			for range short {
				queries <- query{"SELECT 1", nil}
			}
		}
	}()
	return work(ctx, database, queries, connections)
}

// work runs the queries, and gives the first error once all have ended.
func work(ctx context.Context, database *sql.DB, queries <-chan query, connections int) error {
	var group sync.WaitGroup
	errs := make(chan error, connections)
	for range connections {
		group.Go(func() {
			for query := range queries {
				rows, err := database.QueryContext(ctx, query.statement, query.arguments...)
				if err != nil {
					errs <- err
					return
				}
				for rows.Next() {
				}
				if err := rows.Err(); err != nil {
					errs <- err
					return
				}
			}
		})
	}
	group.Wait()
	close(errs)
	return <-errs
}

// open gives the database, and the statement with which it sleeps for a number of seconds.
func open(address string) (*sql.DB, string, error) {
	parsed, err := url.Parse(address)
	if err != nil {
		return nil, "", fmt.Errorf("DATABASE_URL is no URL")
	}
	if parsed.Scheme == "postgresql" {
		database, err := sql.Open("pgx", address)
		return database, "SELECT pg_sleep($1)", err
	}
	config := mysql.NewConfig()
	config.Net, config.Addr, config.DBName = "tcp", parsed.Host, parsed.Path[1:]
	config.User = parsed.User.Username()
	config.Passwd, _ = parsed.User.Password()
	database, err := sql.Open("mysql", config.FormatDSN())
	return database, "SELECT SLEEP(?)", err
}
