// A shop by gRPC on grpc-go, with its items in memory.
package main

import (
	"context"
	"fmt"
	"log"
	"net"
	"os"
	"os/signal"
	"syscall"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"example.org/shop/shop"
)

const graceSeconds = 2

var kinds = []string{"teapot", "cup", "saucer", "spoon"}

type server struct {
	shop.UnimplementedShopServer
	items map[int32]*shop.Item
}

func newServer() *server {
	items := make(map[int32]*shop.Item)
	for id := int32(1); id <= 1000; id++ {
		kind := kinds[id%4]
		items[id] = &shop.Item{
			Id:         id,
			Name:       fmt.Sprintf("%s %d", kind, id),
			PriceCents: 100 + int64(id),
			Tags:       []string{kind, "new"},
		}
	}
	return &server{items: items}
}

func (s *server) item(id int32) (*shop.Item, error) {
	if item, exists := s.items[id]; exists {
		return item, nil
	}
	return nil, status.Errorf(codes.NotFound, "there is no item %d", id)
}

func (s *server) Look(_ context.Context, request *shop.LookRequest) (*shop.Item, error) {
	return s.item(request.Id)
}

func (s *server) Order(_ context.Context, request *shop.OrderRequest) (*shop.Receipt, error) {
	if request.Quantity < 1 {
		return nil, status.Error(codes.InvalidArgument, "a quantity is 1 or more")
	}
	item, err := s.item(request.Item)
	if err != nil {
		return nil, err
	}
	return &shop.Receipt{Item: item.Id, TotalCents: item.PriceCents * int64(request.Quantity)}, nil
}

func (s *server) Browse(request *shop.BrowseRequest, items grpc.ServerStreamingServer[shop.Item]) error {
	for id := request.First; id < request.First+request.Count; id++ {
		item, err := s.item(id)
		if err != nil {
			return err
		}
		if err := items.Send(item); err != nil {
			return err
		}
	}
	return nil
}

func setting(name, otherwise string) string {
	if value := os.Getenv(name); value != "" {
		return value
	}
	return otherwise
}

func main() {
	listener, err := net.Listen("tcp", net.JoinHostPort(setting("HOST", "127.0.0.1"), setting("PORT", "8080")))
	if err != nil {
		log.Fatal(err)
	}
	calls := grpc.NewServer()
	shop.RegisterShopServer(calls, newServer())
	ends := make(chan os.Signal, 1)
	signal.Notify(ends, syscall.SIGTERM)
	go func() {
		<-ends
		time.AfterFunc(graceSeconds*time.Second, calls.Stop) // connections that stay open do not hold it up
		calls.GracefulStop()
	}()
	if err := calls.Serve(listener); err != nil {
		log.Fatal(err)
	}
}
