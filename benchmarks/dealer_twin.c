/* Dealer and player of the competition's protocol, heads-up hold'em, in bare C: what benchmarks/dealer.py compares with.

   twin dealer HANDS NOLIMIT LOG    prints two ports, deals and logs every hand
   twin player PORT NOLIMIT SEED    calls or raises the minimum with equal probability

   Both end with a line that has their seconds of processor time.

   As the official dealer does, it shuffles, writes to both seats after every event, waits for the actor under a clock,
   compares the answer with the state, makes the action legal, ranks showdowns and flushes a STATE line a hand. Game files,
   other games and bad input are left out. */

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/select.h>
#include <time.h>
#include <unistd.h>

typedef struct { int fd, have; char data[1 << 16]; } Wire;
typedef struct { int round, acts, raises, spent[2], least, folded, over; } Betting; /* least: the least raise to */

static const int STACK = 20000, BOARD[4] = {0, 3, 4, 5};

static void fail(const char *what) { perror(what); exit(1); }

static void fast(int fd) { int one = 1; setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one); }

static int read_line(Wire *w, char *line) { /* its length without the end, or -1 */
  char *end;
  while (!(end = memchr(w->data, '\n', w->have))) {
    fd_set ready; FD_ZERO(&ready); FD_SET(w->fd, &ready);
    struct timeval limit = {600, 0};
    if (select(w->fd + 1, &ready, NULL, NULL, &limit) <= 0) return -1;
    int n = read(w->fd, w->data + w->have, sizeof w->data - w->have);
    if (n <= 0) return -1;
    w->have += n;
  }
  int raw = end - w->data + 1, n = raw - 1;
  if (n && w->data[n - 1] == '\r') n--;
  memcpy(line, w->data, n); line[n] = 0;
  memmove(w->data, w->data + raw, w->have -= raw);
  return n;
}

static void send_line(int fd, const char *line, int n) { if (write(fd, line, n) != n) fail("write"); }

static int max(int a, int b) { return a > b ? a : b; }
static int min(int a, int b) { return a < b ? a : b; }

static void start(Betting *b, int nolimit) { /* position 0 has the big blind, position 1 acts first */
  *b = (Betting){.spent = {nolimit ? 100 : 10, nolimit ? 50 : 5}, .least = 200, .folded = -1, .raises = !nolimit};
}

static int actor(const Betting *b) { return (b->acts + (b->round == 0)) % 2; }

static int raise_to(const Betting *b, int nolimit) { /* 0: none is legal */
  int high = max(b->spent[0], b->spent[1]);
  if (nolimit) return high < STACK && min(b->spent[0], b->spent[1]) < STACK ? min(b->least, STACK) : 0;
  return b->raises < 4 ? high + (b->round < 2 ? 10 : 20) : 0;
}

static void act(Betting *b, char kind, int amount, int nolimit) {
  int seat = actor(b), high = max(b->spent[0], b->spent[1]);
  b->acts++;
  if (kind == 'f') { b->folded = seat; b->over = 1; return; }
  if (kind == 'r') {
    b->least = max(b->least, 2 * amount - high); b->spent[seat] = amount; b->raises++;
    return;
  }
  b->spent[seat] = high;
  if (b->acts < 2) return;
  if (high == STACK || b->round == 3) { b->over = 1; b->round = 3; return; }
  b->round++; b->acts = b->raises = 0; b->least = high + (nolimit ? 100 : 0);
}

static int value(int kind, int best, int next, int kickers) { return kind << 21 | best << 17 | next << 13 | kickers; }

static int straight(int ranks) { /* the rank of its lowest card + 1, 0 if there is none */
  int wheel = ranks << 1 | ranks >> 12, run = wheel & wheel >> 1 & wheel >> 2 & wheel >> 3 & wheel >> 4;
  return run ? 32 - __builtin_clz(run) : 0;
}

static int rank7(const int *cards) { /* a number that orders hands of seven */
  int counts[13] = {0}, suits[4] = {0}, all = 0, best = -1, next = -1, kickers = 0;
  for (int i = 0; i < 7; i++) {
    counts[cards[i] / 4]++; suits[cards[i] % 4] |= 1 << cards[i] / 4; all |= 1 << cards[i] / 4;
  }
  for (int s = 0; s < 4; s++) {
    int mask = suits[s];
    if (__builtin_popcount(mask) < 5) continue;
    if (straight(mask)) return value(8, straight(mask), 0, 0);
    while (__builtin_popcount(mask) > 5) mask &= mask - 1;
    return value(5, 0, 0, mask); /* with a flush in seven cards there is no full house */
  }
  for (int r = 12; r >= 0; r--) if (counts[r] > 1 && (best < 0 || counts[r] > counts[best])) best = r;
  for (int r = 12; r >= 0; r--) if (r != best && counts[r] > 1 && next < 0) next = r;
  int of_best = best < 0 ? 0 : counts[best];
  if (of_best == 4) next = -1;
  else if (of_best == 3 && next >= 0) return value(6, best, next, 0);
  else if (straight(all)) return value(4, straight(all), 0, 0);
  else if (of_best == 3) next = -1;
  for (int r = 12, left = 5 - of_best - (next < 0 ? 0 : 2); r >= 0 && left > 0; r--)
    if (counts[r] && r != best && r != next) { kickers |= 1 << r; left--; }
  int kind = of_best == 4 ? 7 : of_best == 3 ? 3 : of_best == 2 ? 1 + (next >= 0) : 0;
  return value(kind, best + 1, next + 1, kickers);
}

static uint64_t seed = 88172645463325252ull;
static uint32_t draw(void) { seed ^= seed << 13; seed ^= seed >> 7; seed ^= seed << 17; return seed >> 32; }

static int put_cards(char *out, const int *cards, int n) {
  for (int i = 0; i < n; i++) { *out++ = "23456789TJQKA"[cards[i] / 4]; *out++ = "cdhs"[cards[i] % 4]; }
  return 2 * n;
}

static int put_state(char *out, const int *cards, int round, int seat) { /* seat 2 sees both hands */
  char *at = out;
  if (seat != 1) at += put_cards(at, cards, 2);
  *at++ = '|';
  if (seat != 0) at += put_cards(at, cards + 2, 2);
  for (int r = 1; r <= round; r++) { *at++ = '/'; at += put_cards(at, cards + 4 + BOARD[r - 1], BOARD[r] - BOARD[r - 1]); }
  *at = 0;
  return at - out;
}

static int deal(int hands, int nolimit, const char *log_name) {
  static Wire wires[2];
  int ports[2], listeners[2], cards[52];
  char line[1 << 16], said[2][1 << 13], bets[1 << 12], table[64];
  for (int p = 0; p < 2; p++) {
    struct sockaddr_in here = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof here;
    listeners[p] = socket(AF_INET, SOCK_STREAM, 0);
    if (bind(listeners[p], (void *)&here, size) || listen(listeners[p], 1)) fail("listen");
    getsockname(listeners[p], (void *)&here, &size);
    ports[p] = ntohs(here.sin_port);
  }
  printf("%d %d\n", ports[0], ports[1]); fflush(stdout);
  for (int p = 0; p < 2; p++) {
    fast(wires[p].fd = accept(listeners[p], NULL, NULL));
    if (read_line(&wires[p], line) < 0 || strncmp(line, "VERSION:2.", 10)) return 1;
  }
  FILE *log = fopen(log_name, "w");
  if (!log) fail(log_name);
  for (int i = 0; i < 52; i++) cards[i] = i;
  for (int hand = 0; hand < hands; hand++) {
    Betting b;
    start(&b, nolimit);
    int used = 0;
    bets[0] = 0;
    for (int i = 0; i < 9; i++) { int j = i + draw() % (52 - i), card = cards[i]; cards[i] = cards[j]; cards[j] = card; }
    for (;;) {
      for (int seat = 0; seat < 2; seat++) {
        put_state(table, cards, b.round, b.over && b.folded < 0 ? 2 : seat);
        int n = sprintf(said[seat], "MATCHSTATE:%d:%d:%s:%s\r\n", seat, hand, bets, table);
        send_line(wires[(seat + hand) % 2].fd, said[seat], n);
      }
      if (b.over) break;
      int seat = actor(&b), n = strlen(said[seat]) - 2, round = b.round, least = raise_to(&b, nolimit);
      do if (read_line(&wires[(seat + hand) % 2], line) < 0) return 1;
      while (strncmp(line, said[seat], n) || line[n] != ':');
      char kind = line[n + 1];
      int amount = nolimit ? min(max(atoi(line + n + 2), least), STACK) : least;
      if (kind == 'f' && b.spent[0] == b.spent[1]) kind = 'c';
      if (kind == 'r' && !least) kind = 'c';
      if (kind != 'f' && kind != 'r') kind = 'c';
      act(&b, kind, amount, nolimit);
      used += kind == 'r' && nolimit ? sprintf(bets + used, "r%d", amount) : sprintf(bets + used, "%c", kind);
      for (int r = round; r < b.round; r++) used += sprintf(bets + used, "/");
    }
    int sign = b.folded >= 0 ? (b.folded ? 1 : -1) : 0, ours[7], theirs[7];
    if (b.folded < 0) {
      memcpy(ours, cards, 2 * sizeof *cards); memcpy(ours + 2, cards + 4, 5 * sizeof *cards);
      memcpy(theirs, cards + 2, 7 * sizeof *cards);
      int a = rank7(ours), z = rank7(theirs);
      sign = (a > z) - (a < z);
    }
    int won = sign * min(b.spent[0], b.spent[1]);
    put_state(table, cards, b.round, 2);
    fprintf(log, "STATE:%d:%s:%s:%d|%d:%s\n", hand, bets, table, won, -won, hand % 2 ? "B|A" : "A|B");
    fflush(log);
  }
  return fclose(log);
}

static int play(int port, int nolimit) {
  static Wire wire;
  struct sockaddr_in there = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK), .sin_port = htons(port)};
  char line[1 << 13], answer[1 << 14];
  wire.fd = socket(AF_INET, SOCK_STREAM, 0);
  if (connect(wire.fd, (void *)&there, sizeof there)) fail("connect");
  fast(wire.fd);
  send_line(wire.fd, "VERSION:2.0.0\r\n", 15);
  while (read_line(&wire, line) >= 0) {
    char *at = strchr(strchr(strchr(line, ':') + 1, ':') + 1, ':') + 1; /* the betting */
    int seat = line[11] - '0';
    Betting b;
    for (start(&b, nolimit); *at != ':'; at++) {
      if (*at == 'f' || *at == 'c') act(&b, *at, 0, nolimit);
      if (*at == 'r') act(&b, 'r', nolimit ? atoi(at + 1) : raise_to(&b, nolimit), nolimit);
    }
    if (b.over || actor(&b) != seat) continue;
    int to = draw() % 2 ? raise_to(&b, nolimit) : 0, n;
    n = !to ? sprintf(answer, "%s:c\r\n", line) : nolimit ? sprintf(answer, "%s:r%d\r\n", line, to) : sprintf(answer, "%s:r\r\n", line);
    if (write(wire.fd, answer, n) != n) break; /* the match is over */
  }
  return 0;
}

int main(int count, char **words) {
  if (count != 5) return fprintf(stderr, "dealer HANDS NOLIMIT LOG, or player PORT NOLIMIT SEED\n"), 2;
  int number = atoi(words[2]), nolimit = atoi(words[3]);
  for (int i = atoi(words[4]) + 9; i--;) draw();
  int code = strcmp(words[1], "dealer") ? play(number, nolimit) : deal(number, nolimit, words[4]);
  printf("%.6f\n", (double)clock() / CLOCKS_PER_SEC);
  return code;
}
