/** Taking a game away and bringing one in: links, records, pictures. */

import { byId, h, refill } from "./dom.js";
import { button, field, form, wordList } from "./fields.js";
import { toPng, toSvg } from "./image.js";
import { describe } from "./sides.js";
import { tooLarge } from "./socket.js";

/**
 * @import { App } from "./app.js"
 * @import { Table } from "./table.js"
 */

export class SharePanel {
  /** @param {App} app @param {Table} table */
  constructor(app, table) {
    this.app = app;
    this.table = table;
    const host = byId("panel-share");
    this.text = h("textarea", {
      rows: 5,
      id: "paste",
      spellcheck: "false",
      placeholder: "A record, SGF, PSQ or RenjuNet XML, or moves such as 4 4 3",
    });
    const file = h("input", {
      type: "file",
      accept: ".json,.sgf,.psq,.xml,.rif,.txt,application/json,text/plain",
      id: "record-file",
      onchange: () => {
        this.load(file.files?.[0]);
        file.value = ""; // so that the same file can be opened again
      },
    });
    this.format = wordList(app.catalogue?.formats ?? ["json"], {
      "aria-label": "Format of the record",
    });
    host.append(
      h("h2", "Take away"),
      h(
        "div.row",
        button("Copy link", () => this.copyLink()),
        button("Save record", () => this.saveRecord()),
        button("Copy record", () => this.copyRecord()),
        this.format,
      ),
      h(
        "div.row",
        button("Save SVG", () => this.savePicture("svg")),
        button("Save PNG", () => this.savePicture("png")),
        button("Copy SVG", () => this.copyPicture("svg")),
        button("Copy PNG", () => this.copyPicture("png")),
      ),
      h("h2", "Bring in"),
      form(
        {},
        () => this.read(this.text.value, "This text"),
        h("label", { for: "paste" }, "Paste a record or moves"),
        this.text,
        h("div.row", h("button", "Open"), h("label", { for: "record-file" }, "or a file"), file),
      ),
      (this.choice = h("p")),
      this.recordList(),
      h(
        "details.more",
        { ontoggle: () => this.showText() },
        h("summary", "The position as text"),
        (this.drawn = h("pre", { tabindex: 0 })),
      ),
    );
    app.listen((what) => what === "position" && this.showText());
  }

  recordList() {
    const records = this.app.catalogue?.records ?? [];
    if (!records.length) return "";
    const chosen = wordList(records, { "aria-label": "Records on the server" });
    return h(
      "div.row",
      chosen,
      button("Open record", () => this.app.attempt(this.app.games.read({ name: chosen.value }))),
    );
  }

  showText() {
    if (this.drawn) this.drawn.textContent = this.app.position?.drawn ?? "";
  }

  /** @param {string} text @param {string} what */
  async copy(text, what) {
    try {
      await navigator.clipboard.writeText(text);
      this.app.tell(`${what} copied.`);
    } catch {
      this.text.value = text;
      this.text.select();
      this.app.tell(`The browser does not let us copy; ${what.toLowerCase()} is in the box below.`);
    }
  }

  copyLink() {
    return this.copy(location.href, "Link");
  }

  async record() {
    const { app } = this;
    const game = app.story.sent(app.here.end());
    const asked = { game, players: app.sides.map(describe), format: this.format.value };
    const variations = app.story.variations(app.here.end());
    return app.attempt(app.line.ask("record", { ...asked, variations }));
  }

  async saveRecord() {
    const answer = await this.record();
    if (answer) save(new Blob([answer.text], { type: "text/plain" }), answer.name);
  }

  async copyRecord() {
    const answer = await this.record();
    if (answer) await this.copy(answer.text, "Record");
  }

  /** @param {string} kind @returns {Promise<Blob | null>} */
  async picture(kind) {
    const root = this.table.board.picture?.root;
    if (!root) return null;
    const text = toSvg(root);
    return kind === "svg" ? new Blob([text], { type: "image/svg+xml" }) : toPng(text);
  }

  /** @param {string} kind */
  async savePicture(kind) {
    const blob = await this.picture(kind);
    if (blob) save(blob, `${this.app.position?.name ?? "board"}.${kind}`);
  }

  /** @param {string} kind */
  async copyPicture(kind) {
    const blob = await this.picture(kind);
    if (!blob) return;
    if (kind === "svg") await this.copy(await blob.text(), "Picture");
    else {
      try {
        await navigator.clipboard.write([new ClipboardItem({ "image/png": blob })]);
        this.app.tell("Picture copied.");
      } catch {
        save(blob, `${this.app.position?.name ?? "board"}.png`);
      }
    }
  }

  /** @param {File} [file] */
  async load(file) {
    if (!file) return;
    const isHuge = file.size > (this.app.catalogue?.max_message_bytes ?? Infinity);
    if (isHuge) this.refuse(file.name, file.size);
    else await this.read(decode(await file.arrayBuffer()), file.name);
  }

  /** @param {string} text @param {string} what */
  async read(text, what) {
    const { app } = this;
    if (text.length > (app.catalogue?.max_text ?? Infinity)) this.refuse(what, text.length);
    else if (text.trim()) await this.open({ text, spec: app.story.spec }, 1);
  }

  /**
   * Open a game of a text; if it has many, another can be chosen.
   * @param {object} text @param {number} number
   */
  async open(text, number) {
    const { app } = this;
    const count = await app.attempt(app.games.read({ ...text, number }));
    if (!count) return;
    const pick = (/** @type {string} */ value) => this.open(text, Number(value));
    const choice = field(number, pick, { type: "number", min: 1, max: count });
    refill(this.choice, count > 1 && h("label", "Game ", choice, ` of ${count}`));
  }

  /** @param {string} what @param {number} size */
  refuse(what, size) {
    this.app.tell(`${what} is ${tooLarge(size, this.app.catalogue?.max_text ?? 0)}.`);
  }
}

/** The text of a file: UTF-8, or else Chinese. @param {ArrayBuffer} content */
function decode(content) {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(content);
  } catch {
    return new TextDecoder("gb18030").decode(content);
  }
}

/** @param {Blob} blob @param {string} name */
export function save(blob, name) {
  const link = h("a", { href: URL.createObjectURL(blob), download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
