// sam-top: what sam-managerd does, as it happens; tasks can be re-prioritised and programs ended from it.
#include <curses.h>  // its macros must not meet other headers
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <clocale>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <string>
#include <utility>

#include "base/printed.h"
#include "sam-manager/protocol/connection.h"
#include "tools/sam-top/view.h"

namespace samcl::top {
namespace {

using nlohmann::json;
using protocol::Connection;

constexpr int kPeriodMs = 1000;
constexpr int kLimitMs = 2000;
constexpr short kLate = 1, kHead = 2;  // pairs of colours

constexpr const char kHelp[] = R"(sam-top shows what sam-managerd does, as it happens.

usage: sam-top [OPTIONS]

Options:
  --instance NAME      which sam-managerd. Default: $SAMCL_INSTANCE, else default.
  --once               print it once, without a terminal's control characters, and end.
  -h, --help           print this.
  --version            print the version.

Keys: up and down choose a program; s changes the order; / filters by task or executable; + and - change the
task's priority; k and y end the program (SIGTERM); q leaves.
)";

int complain(const std::string& message, int code) {
  std::cerr << "sam-top: " << message << "\n";
  return code;
}

// A terminal, as long as this lives.
class Screen {
 public:
  Screen() {
    initscr();
    cbreak();
    noecho();
    keypad(stdscr, TRUE);
    nodelay(stdscr, TRUE);
    curs_set(0);
    if (has_colors()) {
      start_color();
      use_default_colors();
      init_pair(kLate, COLOR_RED, -1);
      init_pair(kHead, COLOR_CYAN, -1);
    }
  }
  ~Screen() { endwin(); }
  Screen(const Screen&) = delete;
  Screen& operator=(const Screen&) = delete;
};

class Top {
 public:
  explicit Top(std::string instance) : instance_(std::move(instance)) {}

  Result<json> fetch() { return ask({{"ask", "status"}}); }

  int run() {
    std::setlocale(LC_ALL, "");
    const Screen screen;
    auto next_fetch = std::chrono::steady_clock::now();
    while (true) {
      if (std::chrono::steady_clock::now() >= next_fetch) {
        refresh_status();
        next_fetch = std::chrono::steady_clock::now() + std::chrono::milliseconds(kPeriodMs);
      }
      draw();
      pollfd keyboard{STDIN_FILENO, POLLIN, 0};
      const auto left =
          std::chrono::duration_cast<std::chrono::milliseconds>(next_fetch - std::chrono::steady_clock::now());
      poll(&keyboard, 1, std::max(1, static_cast<int>(left.count())));
      if (keyboard.revents & (POLLHUP | POLLERR)) return 0;
      for (int key; (key = getch()) != ERR;)
        if (!handle(key)) return 0;
    }
  }

 private:
  Result<json> ask(const json& question) {
    if (!connection_) {
      auto opened = Connection::open(instance_);
      if (!opened) return tl::unexpected(opened.error());
      connection_ = *std::move(opened);
    }
    auto answer = connection_->ask(question, kLimitMs);
    if (answer) return std::move(answer->document);
    if (!connection_->is_open()) connection_.reset();
    return tl::unexpected(answer.error());
  }

  void refresh_status() {
    auto status = fetch();
    problem_ = status ? "" : status.error().message;
    if (status) status_ = *std::move(status);
  }

  void draw() {
    erase();
    const auto width = static_cast<size_t>(std::max(20, COLS));
    int y = 0;
    const auto put = [&](const std::string& line, attr_t look) {
      if (y >= LINES) return;
      attron(look);
      mvaddnstr(y++, 0, line.c_str(), COLS);
      attroff(look);
    };
    if (!problem_.empty()) put(problem_, COLOR_PAIR(kLate));
    if (!status_.is_null()) {
      view_ = make_view(status_, choices_, width);
      choices_.selected = std::min(choices_.selected, view_.programs.empty() ? 0 : view_.programs.size() - 1);
      put(view_.head, A_BOLD);
      put(view_.columns, COLOR_PAIR(kHead));
      const int room = std::max(1, LINES - y - static_cast<int>(view_.devices.size()) - 2);
      const size_t first =
          choices_.selected >= static_cast<size_t>(room) ? choices_.selected - static_cast<size_t>(room) + 1 : 0;
      for (size_t i = first; i < view_.programs.size() && i < first + static_cast<size_t>(room); ++i)
        put(view_.programs[i].text,
            (view_.programs[i].late ? COLOR_PAIR(kLate) : 0) | (i == choices_.selected ? A_REVERSE : 0));
      ++y;
      for (size_t i = 0; i < view_.devices.size(); ++i) put(view_.devices[i], i == 0 ? COLOR_PAIR(kHead) : 0);
    }
    if (typing_) mvaddnstr(LINES - 1, 0, ("/" + choices_.filter).c_str(), COLS);
    if (!typing_ && !message_.empty()) mvaddnstr(LINES - 1, 0, message_.c_str(), COLS);
    refresh();  // writes only what changed
  }

  // False: leave.
  bool handle(int key) {
    if (typing_) {
      if (key == '\n' || key == KEY_ENTER || key == 27) typing_ = false;
      if ((key == KEY_BACKSPACE || key == 127) && !choices_.filter.empty()) choices_.filter.pop_back();
      if (key >= ' ' && key < 127) choices_.filter += static_cast<char>(key);
      return true;
    }
    message_.clear();
    if (const pid_t doomed = std::exchange(doomed_, 0); doomed != 0) {
      if (key == 'y') end_program(doomed);
      return true;
    }
    switch (key) {
      case 'q': return false;
      case KEY_UP:
        if (choices_.selected > 0) --choices_.selected;
        break;
      case KEY_DOWN: ++choices_.selected; break;
      case 's': choices_.order = next(choices_.order); break;
      case '/':
        choices_.filter.clear();
        typing_ = true;
        break;
      case '+':
      case '-': change_priority(key == '+' ? 1 : -1); break;
      case 'k':
        if (const Row* row = selected(); row && row->pid > 0) {
          doomed_ = row->pid;
          message_ = "end process " + std::to_string(doomed_) + "? y: yes";
        }
        break;
      default: break;
    }
    return true;
  }

  const Row* selected() const {
    return choices_.selected < view_.programs.size() ? &view_.programs[choices_.selected] : nullptr;
  }

  void change_priority(int by) {
    const Row* row = selected();
    if (!row || row->task.empty()) {
      message_ = "it is no registered task";
      return;
    }
    const int priority = row->priority + by;
    const auto set = ask({{"ask", "set"}, {"name", row->task}, {"changes", {{"priority", priority}}}});
    message_ = set ? row->task + " has priority " + std::to_string(priority) + " now" : set.error().message;
    refresh_status();
  }

  void end_program(pid_t pid) {
    message_ = kill(pid, SIGTERM) == 0 ? "process " + std::to_string(pid) + " is asked to end" : std::strerror(errno);
  }

  const std::string instance_;
  std::unique_ptr<Connection> connection_;
  json status_;
  View view_;
  Choices choices_;
  bool typing_ = false;  // the filter
  pid_t doomed_ = 0;     // to be ended, once that is confirmed
  std::string problem_, message_;
};

int run(int argc, char** argv) {
  const char* given = std::getenv("SAMCL_INSTANCE");
  std::string instance = given && *given ? given : "default";
  bool once = false;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "-h" || word == "--help") return std::cout << kHelp, 0;
    if (word == "--version") return std::cout << "sam-top " SAMCL_VERSION "\n", 0;
    if (word == "--once") {
      once = true;
    } else if (word == "--instance" && i + 1 < argc) {
      instance = argv[++i];
    } else {
      return complain("unknown option '" + word + "'; see sam-top --help", 2);
    }
  }
  Top top(instance);
  const auto status = top.fetch();
  if (!status) return complain(status.error().message, 1);
  if (!once) {
    if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO)) return complain("needs a terminal, or --once", 2);
    return top.run();
  }
  const View view = make_view(*status, {}, 200);
  std::cout << view.head << "\n" << view.columns << "\n";
  for (const Row& row : view.programs) std::cout << row.text << "\n";
  std::cout << "\n";
  for (const std::string& line : view.devices) std::cout << line << "\n";
  return all_is_printed("sam-top") ? 0 : 1;
}

}  // namespace
}  // namespace samcl::top

int main(int argc, char** argv) { return samcl::top::run(argc, argv); }
