/** The line to the server: it mends itself, and asks again what was not answered. */

/** @import { Answers, Events, Requests } from "./types.js" */

const FIRST_WAIT_MS = 300;
const LONGEST_WAIT_MS = 5000;
const [TOO_MANY, TOO_BIG] = [1008, 1009];

/** What the server said was wrong, in one line. */
export class Refused extends Error {}

/**
 * @typedef {object} Asked
 * @property {any} message
 * @property {(answer: any) => void} answer
 * @property {(error: Error) => void} refuse
 * @property {(event: any) => void} [onEvent]
 */

/**
 * What goes on at the server; an answer says whether somebody stopped it.
 * @template [T=unknown]
 * @typedef {{done: Promise<T & {stopped?: boolean}>, stop: () => void}} Job
 */

export class Line {
  /** @param {string} address @param {(isOpen: boolean) => void} onState */
  constructor(address, onState) {
    this.address = address;
    this.onState = onState;
    /** @type {Map<number, {what: string, progress: string}>} what requests wait for, by id */
    this.preparing = new Map();
    /** @type {Map<number, Asked>} */
    this.asked = new Map();
    this.nextId = 1;
    this.waitMs = FIRST_WAIT_MS;
    this.isOpen = true;
    /** How long a message may be; the server says so. */
    this.maxBytes = Infinity;
    this.open();
  }

  open() {
    const socket = new WebSocket(this.address);
    this.socket = socket;
    socket.onopen = () => {
      this.waitMs = FIRST_WAIT_MS;
      this.onState((this.isOpen = true));
      for (const { message } of this.asked.values()) socket.send(JSON.stringify(message));
    };
    socket.onmessage = (event) => this.hear(JSON.parse(event.data));
    socket.onclose = ({ code, reason }) => {
      this.dropGuilty(code, reason);
      this.onState((this.isOpen = false));
      setTimeout(() => this.open(), this.waitMs);
      this.waitMs = Math.min(2 * this.waitMs, LONGEST_WAIT_MS);
    };
  }

  /**
   * What made the server close the line is not asked again.
   * @param {number} code @param {string} reason
   */
  dropGuilty(code, reason) {
    const waiting = [...this.asked.values()];
    if (code === TOO_BIG) {
      const [longest] = waiting.sort((a, b) => sizeOf(b.message) - sizeOf(a.message));
      if (longest) this.refuse(longest, "this is too large for the server");
    } else if (code === TOO_MANY)
      for (const asked of waiting)
        this.refuse(asked, `the server has closed the line: ${reason || "refused"}`);
  }

  /** @param {Asked} asked @param {string} why */
  refuse(asked, why) {
    this.asked.delete(asked.message.id);
    this.preparing.delete(asked.message.id);
    asked.refuse(new Refused(why));
  }

  /** @type {() => void} called when a game begins to be prepared, or is ready */
  onPreparing = () => {};

  /** @param {any} heard */
  hear(heard) {
    const asked = this.asked.get(heard.id);
    if (!asked) return;
    if (heard.event === "preparing") {
      this.preparing.set(heard.id, heard);
      this.onPreparing();
      return;
    }
    if (this.preparing.delete(heard.id)) this.onPreparing();
    if (heard.event) {
      asked.onEvent?.(heard);
      return;
    }
    this.asked.delete(heard.id);
    if (heard.error) asked.refuse(new Refused(heard.error));
    else asked.answer(heard);
  }

  /**
   * Ask for something; the answer comes even if the line breaks in between.
   * @template {keyof Requests} What
   * @param {What} what @param {Requests[What]} fields @returns {Promise<Answers[What]>}
   */
  ask(what, fields) {
    return this.begin(what, fields).done;
  }

  /**
   * Begin what sends events and can be stopped.
   * @template {keyof Requests} What
   * @param {What} what @param {Requests[What]} fields
   * @param {(event: What extends keyof Events ? Events[What] : never) => void} [onEvent]
   * @returns {Job<Answers[What]>}
   */
  begin(what, fields, onEvent) {
    const id = this.nextId++;
    const message = { id, do: what, ...fields };
    const size = sizeOf(message);
    if (size > this.maxBytes) {
      const done = Promise.reject(new Refused(tooLarge(size, this.maxBytes)));
      return { done, stop: () => {} };
    }
    const done = new Promise((answer, refuse) => {
      this.asked.set(id, { message, answer, refuse, onEvent });
      if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message));
    });
    return { done, stop: () => this.stop(id) };
  }

  /** @param {number} id */
  stop(id) {
    const asked = this.asked.get(id);
    if (!asked) return;
    asked.onEvent = undefined;
    this.ask("stop", { of: id }).catch(() => {});
  }
}

/** @param {any} message */
function sizeOf(message) {
  return new TextEncoder().encode(JSON.stringify(message)).length;
}

/** @param {number} size @param {number} most in bytes */
export function tooLarge(size, most) {
  const [has, may] = [Math.ceil(size / 1000), Math.floor(most / 1000)];
  return `too large: ${has} kB, and the server takes ${may} kB at most`;
}
