# frozen_string_literal: true

require_relative "support"

class HTTPTest < Case
  APP = lambda do |env|
    case env["PATH_INFO"]
    when "/hello" then [200, { "Content-Type" => "text/plain" }, ["Hello, ", "World!"]]
    when "/echo" then [200, {}, [env["rack.input"].read]]
    when "/slow"
      sleep 0.1
      [200, {}, ["slow"]]
    when "/parts" then [200, {}, Enumerator.new { |out| %w[one two].each { |part| sleep(0.001) && out << part } }]
    when "/seen"
      seen = Thread.current[:seen]
      Thread.current[:seen] = true
      [200, {}, [seen.inspect]]
    when "/env" then [200, {}, [env.values_at(*env["QUERY_STRING"].split(",")).inspect]]
    when "/empty" then [204, {}, []]
    when "/raises" then raise IndexError, "in the application"
    when "/bad-header" then [200, { "X" => "a\rSet-Cookie: b" }, []]
    else [404, {}, []]
    end
  end

  def test_answers_with_keep_alive_and_without
    requests("GET /hello HTTP/1.1\r\nHost: a\r\n\r\n", get("/hello")) do |kept, closed|
      assert_match(/\AHTTP\/1\.1 200 OK\r\n/, kept)
      assert_match(/^Content-Length: 13\r\n/, kept)
      assert_match(/^Date: .* GMT\r\n/, kept)
      refute_match(/^Connection:/, kept)
      assert_match(/^Connection: close\r\n/, closed)
      assert kept.end_with?("\r\n\r\nHello, World!")
    end
  end

  def test_http_1_0_keeps_a_connection_on_request_only
    assert_match(/^Connection: close\r\n/, answers("GET /hello HTTP/1.0\r\n\r\n"))
    kept = answers("GET /hello HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\nGET /empty HTTP/1.0\r\n\r\n")
    assert_match(/^Connection: keep-alive\r\n.*World!HTTP\/1\.1 204 No Content\r\n/m, kept)
  end

  def test_pipelined_requests_are_answered_in_their_order_bodies_included
    all = answers(
      "GET /slow HTTP/1.1\r\nHost: a\r\n\r\n" \
      "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nbody\r\n" \
      "POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n" \
      "3;x=y\r\nchu\r\n4\r\nnked\r\n0\r\nTrailer: t\r\n\r\n" \
      "GET /hello HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
    )
    assert_equal %w[slow body chunked Hello,], all.scan(/\r\n\r\n(slow|body|chunked|Hello,)/).flatten
  end

  def test_a_request_that_comes_byte_by_byte
    request = "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nConnection: close\r\n\r\nabc"
    with_server do |port|
      socket = TCPSocket.new("127.0.0.1", port)
      request.each_char do |byte|
        socket.write(byte)
        sleep 0
      end
      assert socket.read.end_with?("\r\n\r\nabc")
    end
  end

  def test_requests_of_many_connections_wait_at_once
    with_server do |port|
      took = seconds do
        finished = Thread::Queue.new
        20.times { Fiber.schedule { finished << ask(port, get("/slow")) } }
        20.times { assert_match "slow", finished.pop }
      end
      assert_operator took, :<, 20 * 0.1 / 2
    end
  end

  def test_so_many_requests_as_wished_are_in_the_application
    at_once = most = 0
    app = lambda do |_env|
      most = [most, at_once += 1].max
      sleep 0.01
      at_once -= 1
      [200, {}, []]
    end
    with_server(app, concurrency: 3) do |port|
      finished = Thread::Queue.new
      10.times { Fiber.schedule { finished << ask(port, get("/")) } }
      10.times { assert_match "200 OK", finished.pop }
    end
    assert_equal 3, most
  end

  def test_a_body_without_a_length_goes_out_in_chunks_or_until_the_end
    assert answers(get("/parts")).end_with?("\r\n\r\n3\r\none\r\n3\r\ntwo\r\n0\r\n\r\n")
    old = answers("GET /parts HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
    assert old.end_with?("\r\nConnection: close\r\n\r\nonetwo")
  end

  def test_no_body_where_there_is_none
    assert answers("HEAD /hello HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n").end_with?("\r\n\r\n")
    empty = answers(get("/empty"))
    assert empty.end_with?("\r\n\r\n")
    refute_match(/Content-Length|Transfer-Encoding/, empty)
  end

  def test_the_environment
    names = %w[REQUEST_METHOD PATH_INFO SERVER_NAME SERVER_PORT HTTP_X_A HTTP_B_C rack.url_scheme REMOTE_ADDR]
    request = "GET http://h:81/env?#{names.join(',')} HTTP/1.1\r\nHost: h:81\r\nX-A: 1\r\nB_C: 2\r\n" \
              "Connection: close\r\n\r\n"
    expected = ["GET", "/env", "h", "81", "1", nil, "http", "127.0.0.1"]
    assert answers(request).end_with?(expected.inspect)
  end

  def test_each_request_has_fiber_locals_of_its_own
    both = answers("GET /seen HTTP/1.1\r\nHost: a\r\n\r\n#{get('/seen')}")
    assert_equal %w[nil nil], both.scan(/\r\n\r\n(nil|true)/).flatten
  end

  def test_a_client_that_waits_for_leave_gets_it
    with_server do |port|
      socket = TCPSocket.new("127.0.0.1", port)
      socket.write("POST /echo HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 2\r\n" \
                   "Connection: close\r\n\r\n")
      assert_equal "HTTP/1.1 100 Continue\r\n\r\n", socket.readpartial(100)
      socket.write("ok")
      assert socket.read.end_with?("\r\n\r\nok")
    end
  end

  def test_what_is_wrong_is_refused_and_its_connection_closed
    post = "POST /echo HTTP/1.1\r\nHost: a\r\n"
    {
      "nonsense\r\n\r\n" => 400,
      "GET /hello HTTP/1.1\r\n\r\n" => 400, # no host
      "GET hello HTTP/1.1\r\nHost: a\r\n\r\n" => 400,
      "GET / HTTP/1.1\r\nHost: a\r\nX: #{'x' * 20_000}\r\n\r\n" => 431,
      "#{post}Content-Length: 3x\r\n\r\nabc" => 400,
      "#{post}Content-Length: 3\r\nContent-Length: 4\r\n\r\nabcd" => 400,
      "#{post}Content-Length: 2000\r\n\r\n#{'x' * 2000}" => 413,
      "#{post}Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" => 400,
      "#{post}Transfer-Encoding: gzip\r\n\r\n" => 501,
      "#{post}Transfer-Encoding: chunked\r\n\r\nz\r\n" => 400,
      "#{post}Transfer-Encoding: chunked\r\n\r\n3\r\nabcd\r\n" => 400,
      "#{post}Transfer-Encoding: chunked\r\n\r\n7d0\r\n#{'x' * 2000}\r\n0\r\n\r\n" => 413,
      "#{post}Expect: the-impossible\r\nContent-Length: 0\r\n\r\n" => 417
    }.each do |request, status|
      refused = answers(request, limits: NeverBlock::HTTP::Limits.new(body_bytes: 1000))
      assert_match(/\AHTTP\/1\.1 #{status} .*^Connection: close\r\n/m, refused, request[0, 100])
      assert_equal 1, refused.scan("HTTP/1.1").size
    end
  end

  def test_clients_that_take_too_long_are_dropped
    limits = NeverBlock::HTTP::Limits.new(idle_seconds: 0.02, head_seconds: 0.02, body_seconds: 0.02)
    ["", "GET / HT", "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nab"].each do |request|
      assert_equal "", answers(request, limits: limits)
    end
  end

  def test_an_application_that_fails_is_answered_500_and_the_server_goes_on
    all = answers("GET /raises HTTP/1.1\r\nHost: a\r\n\r\n" \
                  "GET /bad-header HTTP/1.1\r\nHost: a\r\n\r\n#{get('/hello')}")
    assert_equal %w[500 500 200], all.scan(/HTTP\/1\.1 (\d+)/).flatten
    refute_match "Set-Cookie", all
    assert_equal [IndexError, ArgumentError], @reported
  end

  def test_a_client_that_goes_away_ends_nothing_else
    with_server do |port|
      5.times do
        socket = TCPSocket.new("127.0.0.1", port)
        socket.setsockopt(Socket::SOL_SOCKET, Socket::SO_LINGER, [1, 0].pack("ii"))
        socket.write("GET /slow HTTP/1.1\r\nHost: a\r\n\r\n")
        socket.close # with a reset
      end
      assert_match "World!", ask(port, get("/hello"))
    end
    assert_empty @errors
  end

  def test_stopping_closes_the_idle_and_waits_for_the_others
    idle_ended = slow = nil
    with_server do |port, server|
      idle = TCPSocket.new("127.0.0.1", port)
      Fiber.schedule { idle_ended = idle.read }
      busy = TCPSocket.new("127.0.0.1", port)
      busy.write("GET /slow HTTP/1.1\r\nHost: a\r\n\r\n")
      Fiber.schedule { slow = busy.read }
      sleep 0.02
      took = seconds { server.stop(3) }
      assert_operator took, :<, 2
      assert_raises(Errno::ECONNREFUSED) { TCPSocket.new("127.0.0.1", port) }
    end
    assert_equal "", idle_ended
    assert_match(/^Connection: close\r\n.*slow\z/m, slow)
  end

  def test_stopping_ends_what_does_not_end
    app = ->(_env) { sleep }
    ended = nil
    with_server(app) do |port, server|
      socket = TCPSocket.new("127.0.0.1", port)
      socket.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
      Fiber.schedule { ended = socket.read }
      sleep 0.02
      server.stop(0.02)
    end
    assert_equal "", ended
  end

  private

  def get(path)
    "GET #{path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
  end

  # Runs a server and the block beside it, which gets its port and the server.
  def with_server(app = APP, **options)
    @reported = []
    run_fibers do
      listener = TCPServer.new("127.0.0.1", 0)
      report = ->(_env, error) { @reported << error.class }
      server = NeverBlock::HTTP::Server.new(app, listener, report_error: report, **options)
      server.start
      yield listener.addr[1], server
    ensure
      server.stop(0.1)
    end
  end

  # All that the server answers, until it closes.
  def answers(request, **options)
    with_server(**options) { |port| ask(port, request) }
  end

  def ask(port, request)
    socket = TCPSocket.new("127.0.0.1", port)
    socket.write(request)
    socket.read
  ensure
    socket&.close
  end

  # The answer to each request, over one connection.
  def requests(*texts)
    with_server do |port|
      socket = TCPSocket.new("127.0.0.1", port)
      yield(*texts.map do |text|
        socket.write(text)
        head = socket.gets("\r\n\r\n")
        head + socket.read(head[/^Content-Length: (\d+)/, 1].to_i)
      end)
    end
  end
end
