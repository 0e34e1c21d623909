#!/usr/bin/env python3
"""sam-cluster as its user meets it. usage: sam_cluster_test.py --sam-cluster PATH --pocl DIR; 77: some cases were skipped."""

import argparse
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import unittest

SKIPPED = 77
options = None


def sam_cluster(*words, **environment):
    return subprocess.run([options.sam_cluster, *words], env={**os.environ, "POCL_DEVICES": "basic", **environment},
                          capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=60)


class WrongUse(unittest.TestCase):
    def said(self, code, *words):
        done = sam_cluster(*words)
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertEqual(done.stdout, "")
        return done.stderr

    def test_up_expects_servers(self):
        self.assertIn("up expects hosts, or --local and a number of servers", self.said(2, "up"))

    def test_hosts_and_local_servers_do_not_go_together(self):
        self.assertIn("--local expects a number of servers, 1 or more, and no hosts", self.said(2, "up", "--local", "2", "a"))
        self.assertIn("--local", self.said(2, "up", "--local", "-1"))

    def test_unknown_commands_and_options_are_named(self):
        self.assertIn("'fly'", self.said(2, "fly"))
        self.assertIn("--lokal", self.said(2, "up", "--lokal", "2"))

    def test_down_takes_no_hosts(self):
        self.assertIn("down takes no hosts, but 'a' is given", self.said(2, "down", "a"))

    def test_a_file_that_is_not_there_is_named(self):
        self.assertIn("/no/such/cluster", self.said(1, "status", "--file", "/no/such/cluster"))

    def test_a_place_without_pocl_is_named(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertIn("no bin/pocld in /no/such/pocl",
                          self.said(1, "up", "--local", "1", "--pocl", "/no/such/pocl", "--file", folder + "/cluster"))

    def test_what_only_managed_servers_have_is_said_so(self):
        self.assertIn("--task goes with --managed", self.said(2, "up", "--local", "1", "--task", "t"))
        self.assertIn("--sam-run goes with --managed", self.said(2, "up", "--local", "1", "--sam-run", "/usr/bin/sam-run"))

    def test_help_goes_to_standard_output(self):
        done = sam_cluster("--help")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("usage: sam-cluster up", done.stdout)


class Servers(unittest.TestCase):
    def setUp(self):
        if not (pathlib.Path(options.pocl) / "bin/pocld").exists():
            self.skipTest(f"there is no PoCL with a remote driver in {options.pocl}")
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.file = pathlib.Path(self.folder.name) / "cluster"

    def cluster(self, *words, **environment):
        return sam_cluster(words[0], "--file", str(self.file), *words[1:], **environment)

    def up(self, *words, **environment):
        done = self.cluster("up", "--pocl", options.pocl, "--port", "17900", *words, **environment)
        self.addCleanup(lambda: self.file.exists() and self.cluster("down"))
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def pids(self):
        return [int(pid) for pid in re.findall(r"pid (\d+)", self.file.read_text())]

    def test_local_servers_start_answer_and_end(self):
        self.assertIn("2 servers with 2 devices", self.up("--local", "2").stdout)
        self.assertNotIn("tunnelled", self.file.read_text())
        self.assertEqual(self.cluster("status").stdout.count("answers"), 2)
        pids = self.pids()
        self.assertEqual(self.cluster("down").returncode, 0)
        self.assertFalse(self.file.exists())
        for pid in pids:
            self.assertFalse(pathlib.Path(f"/proc/{pid}/exe").exists())

    def test_managed_servers_expect_a_manager(self):
        words = ("up", "--local", "2", "--pocl", options.pocl, "--managed", "--instance")
        done = self.cluster(*words, "nobody")
        self.assertEqual(done.returncode, 1)
        self.assertIn("no manager answers on localhost: ", done.stderr)
        self.assertFalse(self.file.exists())
        done = self.cluster(*words, "a,b,c")
        self.assertEqual(done.returncode, 2)
        self.assertIn("--instance names 3 managers for 2 hosts", done.stderr)

    def test_all_devices_of_a_server_count(self):
        self.assertIn("1 servers with 3 devices", self.up("--local", "1", POCL_DEVICES="basic basic basic").stdout)

    def test_servers_are_seen_on_this_machine_only(self):
        self.up("--local", "1")
        listening = subprocess.run(["ss", "-ltn"], capture_output=True, text=True).stdout
        own = re.findall(r"(\S+):(1790[0-9])\b", listening)
        self.assertIn(("127.0.0.1", "17900"), own)
        self.assertNotIn(("0.0.0.0", "17900"), own)

    def test_a_cluster_is_not_started_twice(self):
        self.up("--local", "1")
        again = self.cluster("up", "--local", "1", "--pocl", options.pocl)
        self.assertEqual(again.returncode, 1)
        self.assertIn("is up; end it by `sam-cluster down`", again.stderr)

    def test_a_server_that_died_is_told(self):
        self.up("--local", "2")
        os.kill(self.pids()[1], signal.SIGKILL)
        done = self.cluster("status")
        self.assertEqual(done.returncode, 1)
        self.assertEqual(len(re.findall("does not answer", done.stdout)), 1)

    def path_with_ssh(self):
        """ssh of our own: runs what it is to run over there here, and notes the rest. -tt gives it a terminal, as ssh does."""
        ssh = pathlib.Path(self.folder.name) / "ssh"
        ssh.write_text("\n".join([
            "#!/usr/bin/env python3", "import os, pty, signal, sys",
            "with open(__file__ + '.words', 'a') as words:", "    words.write(' '.join(sys.argv[1:]) + '\\n')",
            "command = ['sh', '-c', sys.argv[-1]]",
            "if '-tt' not in sys.argv:", "    os.execvp('sh', command)",
            "signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))",
            "sys.exit(os.waitstatus_to_exitcode(pty.spawn(command)))", ""]))
        ssh.chmod(0o755)
        return f"{self.folder.name}:{os.environ['PATH']}"

    def test_a_managed_machine_has_a_server_for_each_device(self):
        if not options.sam_run:
            self.skipTest("no --sam-run is given")
        instance = f"cluster.{os.getpid()}"
        folder = pathlib.Path(options.sam_run).parent
        manager = subprocess.Popen([folder / "sam-managerd", "--foreground", "--instance", instance, "--exit-with", str(os.getpid()),
                                    "--ready-fd", "1"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.addCleanup(lambda: (manager.kill(), manager.wait(), manager.stdout.close()))
        self.assertTrue(manager.stdout.readline())
        path = self.path_with_ssh()
        environment = {"PATH": path, "POCL_DEVICES": "basic basic", "SAMCL_DEVICES": "7"}  # which would be our own
        said = self.up("there", "--managed", "--instance", instance, "--sam-run", options.sam_run, **environment).stdout
        self.assertIn("2 servers with 2 devices", said)
        text = self.file.read_text()
        self.assertIn("managed\n", text)
        self.assertRegex(text, "server 127.0.0.1:17900 devices 1 host there (?s:.*)server 127.0.0.1:17910 devices 1 host there ")
        status = self.cluster("status", **environment)
        self.assertEqual((status.returncode, status.stdout.count("answers  weight 1")), (0, 2), status.stdout)
        listed = subprocess.run([folder / "sam-ctl", "--instance", instance, "--json", "status"], capture_output=True, text=True)
        self.assertEqual({program["devices"][0] for program in json.loads(listed.stdout)["programs"]}, {"pocl:0", "pocl:1"})

    def test_other_machines_are_reached_by_tunnels(self):
        self.up("there", PATH=self.path_with_ssh())
        words = pathlib.Path(self.folder.name, "ssh.words").read_text()
        self.assertIn("-L 127.0.0.1:17900:127.0.0.1:17900 -L 127.0.0.1:17901:127.0.0.1:17901 there exec ", words)
        self.assertIn("-a 127.0.0.1", words)
        self.assertIn("server 127.0.0.1:17900 devices 1 host there", self.file.read_text())
        self.assertIn("tunnelled\n", self.file.read_text())
        log = self.file.with_name(self.file.name + ".0.log").read_text()
        self.assertIn("\x1b[", log, "on a terminal a server writes in colours")

    def test_the_log_of_a_server_does_not_grow_with_what_programs_do(self):
        if not options.sam_run:
            self.skipTest("no --sam-run is given")
        self.up("--local", "1")
        log = self.file.with_name(self.file.name + ".0.log")
        self.assertIn("listening for client connections", log.read_text())
        size = log.stat().st_size
        subprocess.run([options.sam_run, "--cluster", self.file, "--machine"], check=True, stdout=subprocess.DEVNULL)
        self.assertEqual(log.stat().st_size, size)

    def test_servers_of_another_build_are_warned_of(self):
        self.assertNotIn("lacks mends", self.up("--local", "1").stderr)
        self.cluster("down")
        other = pathlib.Path(self.folder.name) / "pocl"
        other.mkdir()
        (other / "bin").symlink_to(pathlib.Path(options.pocl) / "bin")
        self.assertIn(f"warning: PoCL in {other} lacks mends", self.cluster("up", "--pocl", str(other), "--port", "17900", "--local", "1").stderr)


def main():
    global options
    parser = argparse.ArgumentParser()
    parser.add_argument("--sam-cluster", required=True)
    parser.add_argument("--pocl", required=True)
    parser.add_argument("--sam-run", help="for what needs a manager; sam-managerd and sam-ctl lie beside it")
    options, rest = parser.parse_known_args()
    result = unittest.main(argv=[sys.argv[0], *rest], exit=False, verbosity=2).result
    return SKIPPED if result.skipped and result.wasSuccessful() else 0 if result.wasSuccessful() else 1


sys.exit(main())
