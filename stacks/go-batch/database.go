package main

import (
	"database/sql"
	"fmt"
	"net/url"
	"os"

	"github.com/go-sql-driver/mysql"
	_ "github.com/jackc/pgx/v5/stdlib"
)

// open gives the database with a pool of so many connections, and whether it is PostgreSQL.
func open(connections int) (*sql.DB, bool, error) {
	address := os.Getenv("DATABASE_URL")
	parsed, err := url.Parse(address)
	if err != nil {
		return nil, false, fmt.Errorf("DATABASE_URL is no URL")
	}
	isPostgres := parsed.Scheme == "postgresql"
	driver, source := "pgx", address
	if !isPostgres {
		config := mysql.NewConfig()
		config.Net, config.Addr, config.DBName = "tcp", parsed.Host, parsed.Path[1:]
		config.User = parsed.User.Username()
		config.Passwd, _ = parsed.User.Password()
		driver, source = "mysql", config.FormatDSN()
	}
	database, err := sql.Open(driver, source)
	if err != nil {
		return nil, false, err
	}
	database.SetMaxOpenConns(connections)
	database.SetMaxIdleConns(connections)
	return database, isPostgres, nil
}
