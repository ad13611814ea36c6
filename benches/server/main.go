// A server that the tables of the load engine ask: each message of a WebSocket comes back, and each request by HTTP/3 is
// answered with ok. It listens at $PORT of loopback, with the certificate and the key that it is given.
package main

import (
	"crypto/tls"
	"log"
	"net"
	"net/http"
	"os"

	"github.com/gorilla/websocket"
	"github.com/quic-go/quic-go/http3"
)

func echo(writer http.ResponseWriter, request *http.Request) {
	upgrader := websocket.Upgrader{CheckOrigin: func(*http.Request) bool { return true }}
	connection, err := upgrader.Upgrade(writer, request, nil)
	if err != nil {
		return
	}
	defer connection.Close()
	for {
		kind, message, err := connection.ReadMessage()
		if err != nil || connection.WriteMessage(kind, message) != nil {
			return
		}
	}
}

func say(writer http.ResponseWriter, _ *http.Request) {
	writer.Header().Set("Content-Type", "text/plain")
	writer.Write([]byte("ok"))
}

func main() {
	address := net.JoinHostPort("127.0.0.1", os.Getenv("PORT"))
	// Whoever can open a TCP connection finds both: packets are listened for first.
	packets, err := net.ListenPacket("udp", address)
	if err != nil {
		log.Fatal(err)
	}
	server := http3.Server{Handler: http.HandlerFunc(say)}
	certificate, err := tls.LoadX509KeyPair(os.Args[1], os.Args[2])
	if err != nil {
		log.Fatal(err)
	}
	server.TLSConfig = http3.ConfigureTLSConfig(&tls.Config{Certificates: []tls.Certificate{certificate}})
	go func() { log.Fatal(server.Serve(packets)) }()
	log.Fatal(http.ListenAndServe(address, http.HandlerFunc(echo)))
}
