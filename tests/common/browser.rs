//! A browser with mouse and keyboard events, driven over the DevTools protocol.
//!
//! With `--remote-debugging-pipe`, Chromium reads commands from file descriptor 3 and writes
//! replies to 4: JSON texts that end with a zero byte. A shell connects the pipes.

#![cfg_attr(
    not(unix),
    allow(
        dead_code,
        reason = "only the program's name and flags are used elsewhere"
    )
)]

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::common::{PATIENCE, skip};

/// Whether a program is installed. With `NULLWINDOW_CLIENTS=required` (in CI) a missing one is an
/// error.
pub fn is_installed(program: &str) -> bool {
    let installed = Command::new(program)
        .arg("--version")
        .output()
        .is_ok_and(|output| output.status.success());
    assert!(
        installed || std::env::var("NULLWINDOW_CLIENTS").as_deref() != Ok("required"),
        "{program} is not installed (scripts/clients/run.sh installs it)"
    );
    if !installed {
        skip(&format!("{program} is not installed"));
    }
    installed
}

/// The arguments of a Chromium without a window, network and updates.
pub const HEADLESS: [&str; 8] = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
];

/// What [`Browser::audit`] rejects. Contrast below 4.5 and targets below 24 px fail WCAG 2.2, AA.
const AUDIT: &str = "(() => {
  const numbers = (color) => color.match(/[\\d.]+/g).map(Number);
  const light = (color) => numbers(color).slice(0, 3).map((c) => c / 255)
    .map((c) => c <= .04045 ? c / 12.92 : ((c + .055) / 1.055) ** 2.4)
    .reduce((sum, c, at) => sum + c * [.2126, .7152, .0722][at], 0);
  const behind = (node) => {
    const color = getComputedStyle(node).backgroundColor, alpha = numbers(color)[3] ?? 1;
    return alpha > 0 ? color : node.parentElement ? behind(node.parentElement) : 'rgb(255, 255, 255)';
  };
  const bad = new Set();
  const isShown = (node) => node.checkVisibility() && node.getBoundingClientRect().width > 0;
  for (const node of document.querySelectorAll('html, .scroll, #board, #graph, header, aside')) {
    const name = node.id || node.className || node.tagName;
    if (node.scrollWidth > node.clientWidth && isShown(node)) bad.add(`too wide: ${name}`);
  }
  if (document.querySelectorAll('main').length !== 1) bad.add('main');
  for (const node of document.querySelectorAll('body *')) {
    if (!isShown(node)) continue;
    const hasText = [...node.childNodes].some((c) => c.nodeType === 3 && c.data.trim());
    if (hasText && !node.matches('svg *, script, :disabled')) {
      const [one, other] = [getComputedStyle(node).color, behind(node)].map(light);
      const contrast = (Math.max(one, other) + .05) / (Math.min(one, other) + .05);
      if (contrast < 4.5) bad.add(`${node.tagName} ${node.className} ${node.textContent}: contrast ${contrast}`);
    }
    const isNamed = node.ariaLabel || node.title || node.textContent.trim() || node.closest('label, [aria-hidden]');
    if (node.matches('button, input, canvas, [role]') && !isNamed) bad.add(`no name: ${node.outerHTML.slice(0, 80)}`);
    const { width, height } = node.getBoundingClientRect();
    if (node.matches('button, input, summary') && (width < 24 || height < 24)) {
      bad.add(`small: ${node.outerHTML.slice(0, 80)}: ${width} x ${height}`);
    }
  }
  return [...bad].slice(0, 20);
})()";

/// A running Chromium with one page.
pub struct Browser {
    child: Child,
    commands: ChildStdin,
    answers: Receiver<Value>,
    session: Option<String>,
    last: u64,
    /// The events of the page that are not read yet.
    events: Vec<Value>,
}

impl Browser {
    /// Starts it with its profile in `folder`.
    pub fn start(folder: &Path) -> Browser {
        let script = "exec chromium \"$@\" 3<&0 4>&1 </dev/null >/dev/null 2>&1";
        let mut command = Command::new("sh");
        command
            .args(["-c", script, "sh"])
            .args(HEADLESS)
            .arg("--remote-debugging-pipe");
        command.arg(format!(
            "--user-data-dir={}",
            folder.join("chromium").display()
        ));
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("a shell starts");
        let commands = child.stdin.take().expect("its input is a pipe");
        let output = BufReader::new(child.stdout.take().expect("its output is a pipe"));
        let (sender, answers) = channel();
        thread::spawn(move || {
            for text in output.split(0) {
                let Ok(answer) = serde_json::from_slice(&text.unwrap_or_default()) else {
                    break;
                };
                if sender.send(answer).is_err() {
                    break;
                }
            }
        });
        let mut browser = Browser {
            child,
            commands,
            answers,
            session: None,
            last: 0,
            events: Vec::new(),
        };
        let target = browser.ask("Target.createTarget", json!({ "url": "about:blank" }));
        let attach = json!({ "targetId": target["targetId"], "flatten": true });
        let session = browser.ask("Target.attachToTarget", attach);
        browser.session = session["sessionId"].as_str().map(String::from);
        browser.ask("Page.enable", json!({}));
        browser.ask("Runtime.enable", json!({}));
        browser.ask("Log.enable", json!({}));
        browser
    }

    /// Opens a file in a window of this width, with light or dark colors; returns the time until it
    /// is loaded.
    pub fn open(&mut self, file: &Path, width: u32, is_dark: bool) -> Duration {
        self.visit(&format!("file://{}", file.display()), width, is_dark)
    }

    /// The same for an address.
    pub fn visit(&mut self, url: &str, width: u32, is_dark: bool) -> Duration {
        let size =
            json!({ "width": width, "height": 900, "deviceScaleFactor": 1, "mobile": false });
        self.ask("Emulation.setDeviceMetricsOverride", size);
        let scheme = json!({ "name": "prefers-color-scheme", "value": if is_dark { "dark" } else { "light" } });
        self.ask(
            "Emulation.setEmulatedMedia",
            json!({ "features": [scheme] }),
        );
        self.events.clear();
        let begun = Instant::now();
        self.ask("Page.navigate", json!({ "url": url }));
        while !self
            .events
            .iter()
            .any(|event| event["method"] == "Page.loadEventFired")
        {
            self.hear();
        }
        begun.elapsed()
    }

    /// The value of an expression on the page.
    pub fn evaluate(&mut self, expression: &str) -> Value {
        let arguments =
            json!({ "expression": expression, "returnByValue": true, "awaitPromise": true });
        let answer = self.ask("Runtime.evaluate", arguments);
        assert!(
            answer["exceptionDetails"].is_null(),
            "{expression}: {answer}"
        );
        answer["result"]["value"].clone()
    }

    /// The text of an expression's value.
    pub fn text(&mut self, expression: &str) -> String {
        let value = self.evaluate(expression);
        value
            .as_str()
            .map_or_else(|| value.to_string(), String::from)
    }

    /// Presses a key: a character, or a name as `Enter`.
    pub fn press(&mut self, key: &str) {
        let text = match key {
            "Enter" => "\r",
            key if key.chars().count() == 1 => key,
            _ => "",
        };
        let codes = [
            ("Enter", 13),
            ("End", 35),
            ("Home", 36),
            ("ArrowLeft", 37),
            ("ArrowUp", 38),
            ("ArrowRight", 39),
            ("ArrowDown", 40),
            ("Tab", 9),
        ];
        let code = codes
            .iter()
            .find(|(name, _)| *name == key)
            .map_or(0, |&(_, code)| code);
        let event = |kind: &str| json!({ "type": kind, "key": key, "text": text, "windowsVirtualKeyCode": code });
        self.ask(
            "Input.dispatchKeyEvent",
            event(if text.is_empty() {
                "rawKeyDown"
            } else {
                "keyDown"
            }),
        );
        self.ask(
            "Input.dispatchKeyEvent",
            json!({ "type": "keyUp", "key": key, "windowsVirtualKeyCode": code }),
        );
    }

    /// Moves the mouse to a place; with a button it presses (1) or releases (-1) there.
    pub fn mouse(&mut self, (x, y): (f64, f64), press: i32) {
        let kind = ["mouseReleased", "mouseMoved", "mousePressed"][(press + 1) as usize];
        let button = if press == 0 { "none" } else { "left" };
        let event =
            json!({ "type": kind, "x": x, "y": y, "button": button, "clickCount": press.abs() });
        self.ask("Input.dispatchMouseEvent", event);
    }

    /// Clicks a place.
    pub fn click(&mut self, place: (f64, f64)) {
        self.mouse(place, 0);
        self.mouse(place, 1);
        self.mouse(place, -1);
    }

    /// The middle of the first element of a selector, after it was scrolled into view.
    pub fn place(&mut self, selector: &str) -> (f64, f64) {
        let found = self.evaluate(&format!(
            "(() => {{ const node = document.querySelector('{selector}'); \
             node.scrollIntoView({{ block: 'center' }}); const box = node.getBoundingClientRect(); \
             return [box.left + box.width / 2, box.top + box.height / 2]; }})()"
        ));
        let at = |index: usize| found[index].as_f64().expect(selector);
        (at(0), at(1))
    }

    /// Touches a place.
    pub fn tap(&mut self, (x, y): (f64, f64)) {
        for (kind, points) in [
            ("touchStart", json!([{ "x": x, "y": y }])),
            ("touchEnd", json!([])),
        ] {
            self.ask(
                "Input.dispatchTouchEvent",
                json!({ "type": kind, "touchPoints": points }),
            );
        }
    }

    /// What a screen reader finds of this role: the names.
    pub fn names(&mut self, role: &str) -> Vec<String> {
        let tree = self.ask("Accessibility.getFullAXTree", json!({}));
        let nodes = tree["nodes"].as_array().expect("a tree of nodes");
        let found = nodes.iter().filter(|node| node["role"]["value"] == role);
        let name = |node: &Value| {
            node["name"]["value"]
                .as_str()
                .unwrap_or_default()
                .to_owned()
        };
        found.map(name).collect()
    }

    /// Drags from one place to another.
    pub fn drag(&mut self, from: (f64, f64), to: (f64, f64)) {
        self.mouse(from, 0);
        self.mouse(from, 1);
        for step in 1..=4 {
            let part = f64::from(step) / 4.0;
            let place = (
                from.0 + part * (to.0 - from.0),
                from.1 + part * (to.1 - from.1),
            );
            let event = json!({ "type": "mouseMoved", "x": place.0, "y": place.1, "button": "left", "buttons": 1 });
            self.ask("Input.dispatchMouseEvent", event);
        }
        self.mouse(to, -1);
    }

    /// Turns the wheel with Ctrl at a place.
    pub fn zoom(&mut self, (x, y): (f64, f64), delta: f64) {
        let event = json!({ "type": "mouseWheel", "x": x, "y": y, "deltaX": 0, "deltaY": delta, "modifiers": 2 });
        self.ask("Input.dispatchMouseEvent", event);
    }

    /// Checks the page as it is shown: nothing is wider than its place, texts stand out from their
    /// background, controls have names and room for a finger, one main part.
    pub fn audit(&mut self) {
        let place = self.text(
            "`${innerWidth} px, dark: ${matchMedia('(prefers-color-scheme: dark)').matches}`",
        );
        assert_eq!(self.evaluate(AUDIT), json!([]), "{place}");
    }

    /// The errors of the page's scripts, and what its security policy refused, so far.
    pub fn errors(&mut self) -> Vec<Value> {
        self.evaluate("0"); // all events before it have come
        self.events
            .iter()
            .filter(|event| {
                event["method"] == "Runtime.exceptionThrown"
                    || event["params"]["entry"]["level"] == "error"
            })
            .cloned()
            .collect()
    }

    fn ask(&mut self, method: &str, params: Value) -> Value {
        self.last += 1;
        let mut command = json!({ "id": self.last, "method": method, "params": params });
        if let Some(session) = &self.session {
            command["sessionId"] = json!(session);
        }
        let text = format!("{command}\0");
        self.commands
            .write_all(text.as_bytes())
            .and_then(|()| self.commands.flush())
            .expect("the browser reads");
        loop {
            if let Some(answer) = self.hear() {
                assert!(answer["error"].is_null(), "{method}: {answer}");
                return answer["result"].clone();
            }
        }
    }

    /// The answer to the last command, if that comes next; events are kept.
    fn hear(&mut self) -> Option<Value> {
        let message = self
            .answers
            .recv_timeout(PATIENCE)
            .expect("the browser answers");
        if message["id"] == self.last {
            return Some(message);
        }
        self.events.push(message);
        None
    }
}

impl Drop for Browser {
    /// A killed browser would leave temporary files and processes that still write its profile.
    fn drop(&mut self) {
        let close = json!({ "id": self.last + 1, "method": "Browser.close" });
        let _ = self.commands.write_all(format!("{close}\0").as_bytes());
        // Its output ends with it.
        let end = Instant::now() + PATIENCE;
        while (self.answers)
            .recv_timeout(end.saturating_duration_since(Instant::now()))
            .is_ok()
        {}
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
