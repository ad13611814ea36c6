// A server of HTTP/1.1, HTTP/2 and HTTP/3 on one port number, of TCP and of UDP, by the certificate that the lab makes.
package main

import (
	"crypto/tls"
	"log"
	"net"
	"net/http"
	"os"
	"strings"

	"github.com/quic-go/quic-go/http3"
)

// Of a page: larger than what a server may send before the first answer to it, over TCP as well as over QUIC.
var page = []byte(strings.Repeat("All work and no play. ", 3000))

func main() {
	address := net.JoinHostPort(os.Getenv("HOST"), os.Getenv("PORT"))
	certificate, err := tls.LoadX509KeyPair(os.Getenv("TLS_CERTIFICATE"), os.Getenv("TLS_KEY"))
	if err != nil {
		log.Fatal(err)
	}
	settings := &tls.Config{Certificates: []tls.Certificate{certificate}}
	http.HandleFunc("GET /page", func(writer http.ResponseWriter, _ *http.Request) {
		writer.Header().Set("Content-Type", "text/plain")
		writer.Write(page)
	})
	http.HandleFunc("POST /login", func(writer http.ResponseWriter, _ *http.Request) {
		writer.Header().Set("Content-Type", "application/json")
		writer.Write([]byte(`{"token": "hers"}`))
	})
	http.HandleFunc("GET /mine", func(writer http.ResponseWriter, request *http.Request) {
		if request.Header.Get("Authorization") != "Bearer hers" {
			http.Error(writer, "log in first", http.StatusUnauthorized)
			return
		}
		writer.Header().Set("Content-Type", "text/plain")
		writer.Write([]byte("yours"))
	})
	packets, err := net.ListenPacket("udp", address)
	if err != nil {
		log.Fatal(err)
	}
	overUDP := http3.Server{Handler: http.DefaultServeMux, TLSConfig: http3.ConfigureTLSConfig(settings)}
	go func() { log.Fatal(overUDP.Serve(packets)) }()
	if os.Getenv("ONLY_UDP") == "" {
		overTCP := http.Server{Addr: address, TLSConfig: settings}
		log.Fatal(overTCP.ListenAndServeTLS("", ""))
	}
	select {}
}
