"""The options of curl, by which of them have a value, and what they mean for a request that is imported.

Taken from `curl --help all` of 7.88 and the list of options by version up to 8.17
(https://curl.se/docs/optionswhen.html).
"""

SHORT = {
    "a": "append", "E": "cert", "K": "config", "C": "continue-at", "b": "cookie", "c": "cookie-jar", "d": "data",
    "q": "disable", "D": "dump-header", "f": "fail", "F": "form", "P": "ftp-port", "G": "get", "g": "globoff",
    "I": "head", "H": "header", "h": "help", "0": "http1.0", "i": "include", "k": "insecure", "4": "ipv4",
    "6": "ipv6", "j": "junk-session-cookies", "l": "list-only", "L": "location", "M": "manual", "m": "max-time",
    "n": "netrc", "N": "no-buffer", "o": "output", "Z": "parallel", "#": "progress-bar", "x": "proxy",
    "U": "proxy-user", "p": "proxytunnel", "Q": "quote", "r": "range", "e": "referer", "J": "remote-header-name",
    "O": "remote-name", "R": "remote-time", "X": "request", "S": "show-error", "s": "silent", "Y": "speed-limit",
    "y": "speed-time", "2": "sslv2", "3": "sslv3", "t": "telnet-option", "z": "time-cond", "1": "tlsv1",
    "T": "upload-file", "B": "use-ascii", "u": "user", "A": "user-agent", "v": "verbose", "V": "version",
    "w": "write-out",
}  # fmt: skip
"""Options of one letter, by their long names."""
NEXT = ("--next", "-:")
"""Words between two calls in one command."""
WITH_VALUE = frozenset(
    """
    abstract-unix-socket alt-svc aws-sigv4 cacert capath cert cert-type ciphers config connect-timeout connect-to
    continue-at cookie cookie-jar create-file-mode crlfile curves data data-ascii data-binary data-raw
    data-urlencode delegation dns-interface dns-ipv4-addr dns-ipv6-addr dns-servers doh-url dump-header ech egd-file
    engine etag-compare etag-save expand-data expand-header expand-url expect100-timeout form form-string
    ftp-account ftp-alternative-to-user ftp-method ftp-port ftp-ssl-ccc-mode happy-eyeballs-timeout-ms
    haproxy-clientip header help hostpubmd5 hostpubsha256 hsts interface ip-tos ipfs-gateway json keepalive-cnt
    keepalive-time key key-type knownhosts krb libcurl limit-rate local-port login-options mail-auth mail-from
    mail-rcpt max-filesize max-redirs max-time netrc-file noproxy oauth2-bearer output output-dir parallel-max
    parallel-max-host pass pinnedpubkey preproxy proto proto-default proto-redir proxy proxy-cacert proxy-capath
    proxy-cert proxy-cert-type proxy-ciphers proxy-crlfile proxy-header proxy-key proxy-key-type proxy-pass
    proxy-pinnedpubkey proxy-service-name proxy-tls13-ciphers proxy-tlsauthtype proxy-tlspassword proxy-tlsuser
    proxy-user proxy1.0 pubkey quote random-file range rate referer request request-target resolve retry retry-delay
    retry-max-time sasl-authzid service-name sigalgs socks4 socks4a socks5 socks5-gssapi-service socks5-hostname
    speed-limit speed-time ssl-sessions stderr telnet-option tftp-blksize time-cond tls-max tls13-ciphers
    tlsauthtype tlspassword tlsuser trace trace-ascii trace-config unix-socket upload-file upload-flags url
    url-query user user-agent variable vlan-priority write-out
    """.split()  # noqa: SIM905
)
FLAGS = frozenset(
    """
    alpn anyauth append basic buffer ca-native cert-status clobber compressed compressed-ssh create-dirs crlf digest
    disable disable-eprt disable-epsv disallow-username-in-url doh-cert-status doh-insecure dump-ca-embed fail
    fail-early fail-with-body false-start follow form-escape ftp-create-dirs ftp-pasv ftp-pret ftp-skip-pasv-ip
    ftp-ssl-ccc ftp-ssl-control get globoff haproxy-protocol head http0.9 http1.0 http1.1 http2
    http2-prior-knowledge http3 http3-only ignore-content-length include insecure ipv4 ipv6 junk-session-cookies
    keepalive list-only location location-trusted mail-rcpt-allowfails manual metalink mptcp negotiate netrc
    netrc-optional npn ntlm ntlm-wb out-null parallel parallel-immediate path-as-is post301 post302 post303
    progress-bar progress-meter proxy-anyauth proxy-basic proxy-ca-native proxy-digest proxy-http2 proxy-insecure
    proxy-negotiate proxy-ntlm proxy-ssl-allow-beast proxy-ssl-auto-client-cert proxy-tlsv1 proxytunnel raw
    remote-header-name remote-name remote-name-all remote-time remove-on-error retry-all-errors retry-connrefused
    sasl-ir sessionid show-error silent skip-existing socks5-basic socks5-gssapi socks5-gssapi-nec ssl
    ssl-allow-beast ssl-auto-client-cert ssl-no-revoke ssl-reqd ssl-revoke-best-effort sslv2 sslv3 styled-output
    suppress-connect-headers tcp-fastopen tcp-nodelay tftp-no-options tls-earlydata tlsv1 tlsv1.0 tlsv1.1 tlsv1.2
    tlsv1.3 tr-encoding trace-ids trace-time use-ascii verbose version xattr
    """.split()  # noqa: SIM905
)
"""Truth values: each may begin with `no-`, which takes it back."""
EACH_TIME = "its answer is made for each request, which a load cannot do"
OF_A_CONNECTION = "it belongs to a connection, which a load cannot do"
VARIABLES = "write the values into the command"
REFUSED = {
    "upload-file": "give the file with --data-binary @FILE and -X PUT",
    "config": "write its options into the command",
    "aws-sigv4": "a signature is made for each request, which a load cannot do",
    "digest": EACH_TIME,
    "anyauth": EACH_TIME,
    "ntlm": OF_A_CONNECTION,
    "ntlm-wb": OF_A_CONNECTION,
    "negotiate": OF_A_CONNECTION,
    "netrc": "give the credentials with -u",
    "netrc-file": "give the credentials with -u",
    "netrc-optional": "give the credentials with -u",
    "variable": VARIABLES,
    "expand-data": VARIABLES,
    "expand-header": VARIABLES,
    "expand-url": VARIABLES,
}
"""Options that would make another request, and what to do instead."""
PROXY = "Fairtrial connects without a proxy"
HTTP3 = "give --http3 to `fairtrial load`, or set http3 = true in [load] of an experiment"
HTTP2 = "give --http2 to `fairtrial load`, or set http2 = true in [load] of an experiment"
CERTIFICATE = "give --cert and --key to `fairtrial load`"
ADDRESS = "name the address in the URL of the load"
CONDITION = "with it, the answer could be 304 without a body"
ELSEWHERE = {
    "insecure": "give --insecure to `fairtrial load`",
    "cacert": "give --cacert to `fairtrial load`",
    "cert": CERTIFICATE,
    "key": CERTIFICATE,
    "max-time": "give --timeout to `fairtrial load`",
    "unix-socket": "give --unix to `fairtrial load`",
    "abstract-unix-socket": "give --unix to `fairtrial load`",
    "compressed": "a header accept-encoding in the workload file asks for compressed bodies",
    "tr-encoding": "a header accept-encoding in the workload file asks for compressed bodies",
    "proxy": PROXY,
    "preproxy": PROXY,
    "proxy1.0": PROXY,
    "socks4": PROXY,
    "socks4a": PROXY,
    "socks5": PROXY,
    "socks5-hostname": PROXY,
    "haproxy-protocol": PROXY,
    "haproxy-clientip": PROXY,
    "http2": HTTP2,
    "http2-prior-knowledge": HTTP2,
    "http3": HTTP3,
    "http3-only": HTTP3,
    "http1.0": "Fairtrial speaks HTTP/1.1",
    "resolve": ADDRESS,
    "connect-to": ADDRESS,
    "time-cond": CONDITION,
    "etag-compare": CONDITION,
    "continue-at": "all of the answer is asked for",
}
"""The remark on an option that a workload file has no place for. Others only change what curl does with the answer."""
