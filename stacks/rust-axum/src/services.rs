//! Opens what the environment names, with the routes that it serves. Nothing is connected yet: pools do that when they
//! are first used. What was not compiled in is refused.

use std::sync::Arc;

use anyhow::{Context, bail};
use axum::Router;

use crate::api::health::{self, Ping, Service};
use crate::api::items::{self, ItemStore};
use crate::api::pages::{self, PageStore};
use crate::api::plaintext;
use crate::api::queries::{self, QueryStore};
use crate::api::several;
use crate::api::similar::{self, ArticleStore};
use crate::api::streams;
use crate::api::units::{self, UnitStore};
use crate::settings::Settings;

/// What a database is opened with, by the scheme of its URL.
const DATABASES: &[(&str, Open)] = &[
    #[cfg(feature = "sqlite")]
    ("sqlite", |url, settings| {
        use crate::databases::sqlite::Sqlite;
        let store = Sqlite::open(url, settings.db_pool, settings.blocking_work)?;
        Ok(database(Arc::new(store), settings))
    }),
    #[cfg(feature = "postgresql")]
    ("postgresql", |url, settings| {
        use crate::databases::postgresql::Postgresql;
        let store = Arc::new(Postgresql::open(url, settings.db_pool)?);
        let opened = database_server(store.clone(), settings)?;
        Ok(opened.merge(several::routes(store)))
    }),
    #[cfg(feature = "mariadb")]
    ("mysql", |url, settings| {
        use crate::databases::mariadb::Mariadb;
        let store = Mariadb::open(url, settings.db_pool)?;
        database_server(Arc::new(store), settings)
    }),
];

type Open = fn(&str, &Settings) -> anyhow::Result<Opened>;

#[derive(Default)]
struct Opened {
    routes: Router,
    pings: Vec<Ping>,
}

impl Opened {
    fn merge(self, routes: Router) -> Self {
        Self {
            routes: self.routes.merge(routes),
            ..self
        }
    }
}

pub fn open(settings: &Settings) -> anyhow::Result<Router> {
    let mut opened = match &settings.database_url {
        Some(url) => open_database(url, settings)?,
        None => Opened::default(),
    };
    if let Some(url) = &settings.upstream_url {
        opened = opened.merge(upstream(url, settings).context("UPSTREAM_URL")?);
    }
    let routes = opened
        .routes
        .merge(plaintext::routes())
        .merge(streams::routes());
    Ok(routes.merge(health::routes(opened.pings)))
}

/// An error does not quote the URL, which may hold a password.
fn open_database(url: &str, settings: &Settings) -> anyhow::Result<Opened> {
    let scheme = url.split(':').next().unwrap_or_default();
    match DATABASES.iter().find(|(known, _)| *known == scheme) {
        Some((_, open)) => open(url, settings).context("DATABASE_URL"),
        None => bail!("DATABASE_URL: nothing is known of {scheme:?}, or it was not compiled in"),
    }
}

/// What is asked of every database.
fn database<S: Service + ItemStore + ArticleStore>(store: Arc<S>, settings: &Settings) -> Opened {
    let articles = similar::routes(store.clone(), settings.blocking_work);
    let routes = items::routes(store.clone()).merge(articles);
    let pings = vec![health::ping(store)];
    Opened { routes, pings }
}

/// What is asked of those that are servers, besides.
fn database_server<S>(store: Arc<S>, settings: &Settings) -> anyhow::Result<Opened>
where
    S: Service + ItemStore + ArticleStore + QueryStore + UnitStore + PageStore,
{
    let opened = database(store.clone(), settings)
        .merge(queries::routes(store.clone()))
        .merge(units::routes(store.clone()));
    match &settings.cache_url {
        Some(url) => with_cache(opened, url, store).context("CACHE_URL"),
        None => Ok(opened),
    }
}

#[cfg(feature = "redis")]
fn with_cache<S: PageStore>(opened: Opened, url: &str, store: Arc<S>) -> anyhow::Result<Opened> {
    let cache = Arc::new(crate::redis::Redis::open(url)?);
    let mut opened = opened.merge(pages::routes(store, cache.clone()));
    opened.pings.push(health::ping(cache));
    Ok(opened)
}

#[cfg(not(feature = "redis"))]
fn with_cache<S: PageStore>(_: Opened, _: &str, _: Arc<S>) -> anyhow::Result<Opened> {
    bail!("Redis was not compiled in")
}

#[cfg(feature = "none")]
fn upstream(url: &str, settings: &Settings) -> anyhow::Result<Router> {
    crate::api::fan_out::routes(url, settings.upstream_pool)
}

#[cfg(not(feature = "none"))]
fn upstream(_: &str, _: &Settings) -> anyhow::Result<Router> {
    bail!("the client of an upstream was not compiled in")
}
