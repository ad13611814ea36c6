//! A shop by gRPC on tonic, with its items in memory.

use std::collections::HashMap;
use std::env;
use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::oneshot;
use tokio_stream::Stream;
use tonic::transport::Server;
use tonic::transport::server::TcpIncoming;
use tonic::{Request, Response, Status};

use proto::shop_server::{self, ShopServer};
use proto::{BrowseRequest, Item, LookRequest, OrderRequest, Receipt};

mod proto {
    tonic::include_proto!("shop");
}

const GRACE: Duration = Duration::from_secs(2);
const KINDS: [&str; 4] = ["teapot", "cup", "saucer", "spoon"];

struct Shop {
    items: Arc<HashMap<i32, Item>>,
}

impl Shop {
    fn new() -> Shop {
        let items = (1..=1000).map(|id| {
            let kind = KINDS[id as usize % KINDS.len()];
            let price_cents = 100 + i64::from(id);
            (
                id,
                Item {
                    id,
                    name: format!("{kind} {id}"),
                    price_cents,
                    tags: vec![kind.into(), "new".into()],
                },
            )
        });
        Shop {
            items: Arc::new(items.collect()),
        }
    }
}

fn item(items: &HashMap<i32, Item>, id: i32) -> Result<&Item, Status> {
    items
        .get(&id)
        .ok_or_else(|| Status::not_found(format!("there is no item {id}")))
}

#[tonic::async_trait]
impl shop_server::Shop for Shop {
    async fn look(&self, request: Request<LookRequest>) -> Result<Response<Item>, Status> {
        Ok(Response::new(
            item(&self.items, request.get_ref().id)?.clone(),
        ))
    }

    async fn order(&self, request: Request<OrderRequest>) -> Result<Response<Receipt>, Status> {
        let request = request.get_ref();
        if request.quantity < 1 {
            return Err(Status::invalid_argument("a quantity is 1 or more"));
        }
        let item = item(&self.items, request.item)?;
        let total_cents = item.price_cents * i64::from(request.quantity);
        Ok(Response::new(Receipt {
            item: item.id,
            total_cents,
        }))
    }

    type BrowseStream = Box<dyn Stream<Item = Result<Item, Status>> + Send + Unpin>;

    async fn browse(
        &self,
        request: Request<BrowseRequest>,
    ) -> Result<Response<Self::BrowseStream>, Status> {
        let BrowseRequest { first, count } = *request.get_ref();
        let items = Arc::clone(&self.items);
        // Each item is made when the connection has room for it.
        let found = (first..first.saturating_add(count)).map(move |id| item(&items, id).cloned());
        Ok(Response::new(Box::new(tokio_stream::iter(found))))
    }
}

fn setting(name: &str, otherwise: &str) -> String {
    env::var(name)
        .ok()
        .filter(|value| !value.is_empty())
        .unwrap_or_else(|| otherwise.to_owned())
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let port: u16 = setting("PORT", "8080").parse()?;
    let listener = TcpListener::bind((setting("HOST", "127.0.0.1"), port)).await?;
    let connections = TcpIncoming::from(listener).with_nodelay(Some(true));
    let mut terminated = signal(SignalKind::terminate())?;
    let (ends, ended) = oneshot::channel();
    let calls = Server::builder().add_service(ShopServer::new(Shop::new()));
    let calls = calls.serve_with_incoming_shutdown(connections, async move {
        terminated.recv().await;
        let _ = ends.send(());
    });
    tokio::select! {
        result = calls => result?,
        // Connections that stay open do not hold it up.
        () = async { if ended.await.is_ok() { tokio::time::sleep(GRACE).await } } => {}
    }
    Ok(())
}
