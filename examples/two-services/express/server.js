// An order desk with Express and node-postgres.

import cluster from "node:cluster";

import express from "express";
import pg from "pg";

const { HOST = "127.0.0.1", PORT = "8080", DATABASE_URL, DB_POOL = "16", WEB_CONCURRENCY = "1" } = process.env;

if (cluster.isPrimary && Number(WEB_CONCURRENCY) > 1) {
  for (let i = 0; i < Number(WEB_CONCURRENCY); i++) cluster.fork();
} else {
  serve();
}

function serve() {
  const pool = new pg.Pool({ connectionString: DATABASE_URL, max: Number(DB_POOL) });
  const app = express();
  app.use(express.json());

  app.get("/items/:id", async (request, response) => {
    const { rows } = await pool.query("SELECT id, name, stock FROM items WHERE id = $1", [request.params.id]);
    if (rows.length > 0) response.json(rows[0]);
    else response.status(404).json({ error: "there is no such item" });
  });

  app.post("/orders", async (request, response) => {
    const { item, quantity } = request.body;
    const insert = "INSERT INTO orders (item, quantity) VALUES ($1, $2) RETURNING id";
    const { rows } = await pool.query(insert, [item, quantity]);
    response.status(201).json(rows[0]);
  });

  app.listen(Number(PORT), HOST);
}
