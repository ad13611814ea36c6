// MariaDB: a pool of mysql2; execute() prepares a statement once on each connection.

import mysql from "mysql2/promise";

const CONNECT_MS = 10_000;

const INSERT = "INSERT INTO surveys (survey, user_number, answers) VALUES (?, ?, ?)";
const UPDATE = "UPDATE surveys SET answers = ? WHERE survey = ? AND user_number = ?";

export function open(url, poolSize) {
  const pool = mysql.createPool({
    uri: url,
    connectionLimit: poolSize,
    maxIdle: poolSize, // idle connections are kept
    connectTimeout: CONNECT_MS,
    charset: "utf8mb4",
  });
  // An update that finds no row would lock the gap where it looked, and two that then insert there would deadlock.
  // Under this level, which is PostgreSQL's default, it does not.
  pool.on("connection", (connection) => {
    connection.query("SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED");
  });
  return {
    ping: () => pool.query("SELECT 1"),
    close: () => pool.end(),
    surveys: {
      insert: (row) => pool.execute(INSERT, valuesOf(row)),
      insertMany: (rows) =>
        pool.execute(INSERT + ", (?, ?, ?)".repeat(rows.length - 1), rows.flatMap(valuesOf)),
      replace: (row) => replace(pool, row),
    },
  };
}

function valuesOf({ survey, user, answers }) {
  return [survey, user, JSON.stringify(answers)];
}

async function replace(pool, { survey, user, answers }) {
  const text = JSON.stringify(answers);
  const connection = await pool.getConnection();
  try {
    await connection.beginTransaction();
    // Rows that matched are counted, changed or not: mysql2 sets CLIENT_FOUND_ROWS.
    const [{ affectedRows }] = await connection.execute(UPDATE, [text, survey, user]);
    if (affectedRows === 0) await connection.execute(INSERT, [survey, user, text]);
    await connection.commit();
    connection.release();
  } catch (error) {
    connection.destroy(); // with whatever it had begun
    throw error;
  }
}
