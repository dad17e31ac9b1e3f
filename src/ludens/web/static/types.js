/**
 * What comes from the server and what the modules hand to each other.
 *
 * @typedef {[number, number]} Point
 *
 * @typedef {object} Shape  One thing to draw, in units of a cell.
 * @property {"polygon" | "disc" | "text"} kind
 * @property {Point[]} points
 * @property {string} role
 * @property {string} label
 * @property {number} owner
 * @property {string} choice
 * @property {number} size
 * @property {number} tone
 * @property {string} part
 *
 * @typedef {{action: number, name: string, choices: string[]}} Legal
 * @typedef {number | string} Step
 * @typedef {{notation: string, player: number | null, is_chance: boolean,
 *   is_edit: boolean}} StepWords
 *
 * @typedef {object} Position
 * @property {string} spec
 * @property {string} name
 * @property {string} title
 * @property {number} players
 * @property {number} seed
 * @property {Step[]} history
 * @property {StepWords[]} steps
 * @property {number} num_plies
 * @property {number | null} to_play
 * @property {boolean} is_over
 * @property {number | null} result
 * @property {number | null} score
 * @property {string} outcome
 * @property {string} reason
 * @property {Shape[]} scene
 * @property {number[]} marked
 * @property {Legal[]} legal
 * @property {Legal[]} fouls
 * @property {string} drawn
 * @property {boolean} can_edit
 * @property {boolean} can_solve
 * @property {string[]} edits
 *
 * @typedef {{spec: string, history: Step[], seed?: number | null, setup?: string}} SentGame
 *
 * @typedef {object} Frame  What a step changes in the scene.
 * @property {string} name
 * @property {number | null} player
 * @property {Partial<Shape>[]} added
 * @property {Partial<Shape>[]} gone
 *
 * @typedef {object} Candidate  A move that the engine looked at.
 * @property {number} action
 * @property {string} name
 * @property {number} visits
 * @property {number} value
 * @property {number} winrate
 * @property {number} prior
 * @property {string} proof
 * @property {[number | null, number | null] | null} interval
 * @property {string[]} line
 *
 * @typedef {object} Analysis
 * @property {string} agent
 * @property {number} player
 * @property {number} sims
 * @property {number} sims_per_s
 * @property {number} value
 * @property {number} winrate
 * @property {number} discount
 * @property {string} proof
 * @property {boolean} is_full
 * @property {boolean} is_done
 * @property {Candidate[]} moves
 *
 * @typedef {object} Option
 * @property {string} name
 * @property {boolean | number | string} default
 * @property {string} help
 * @property {number | null} low
 * @property {number | null} high
 * @property {(string | number)[]} choices
 *
 * @typedef {{level: number, agent: string, elo: number | null}} Level
 *
 * @typedef {object} GameInfo
 * @property {string} name
 * @property {string} title
 * @property {string} about
 * @property {number} players
 * @property {Option[]} options
 * @property {boolean} can_edit
 * @property {boolean} can_solve
 * @property {boolean} has_setup
 * @property {Level[]} levels
 *
 * @typedef {{name: string, help: string, needs_net: boolean,
 *   players: number | null, options: Option[]}} AgentInfo
 *
 * @typedef {object} Catalogue  The answer to `games`.
 * @property {GameInfo[]} games
 * @property {AgentInfo[]} agents
 * @property {string[]} records
 * @property {number} points_per_score
 * @property {number} max_message_bytes
 * @property {number} max_text
 * @property {string} version
 *
 * @typedef {object} Described  The answer to `describe`.
 * @property {Position} position
 * @property {Level[]} levels
 * @property {string[]} nets
 * @property {string} default_agent
 * @property {string} note
 *
 * @typedef {object} Branch  A node of the search tree.
 * @property {string} title
 * @property {number} choice
 * @property {number} visits
 * @property {number} rate
 * @property {number} prior
 * @property {string} proof
 * @property {number} player
 * @property {Branch[]} children
 * @property {number} num_hidden
 * @property {boolean} is_leaf
 *
 * @typedef {object} RunGame
 * @property {number} number
 * @property {number} net
 * @property {SentGame} game
 * @property {number[]} values
 * @property {string} ending
 * @property {number | null} result
 * @property {boolean} is_finished
 *
 * @typedef {object} RunFacts  An event of `run`.
 * @property {string} name
 * @property {string} game
 * @property {boolean} is_known
 * @property {Record<string, string>} facts
 * @property {Record<string, any>} config
 * @property {{iterations: number, games: number, positions: number, seconds: number}} totals
 * @property {number[]} results
 * @property {Record<string, number>[]} metrics
 * @property {number[]} nets
 * @property {{words: string, parameters: number} | null} net
 * @property {number} size_bytes
 * @property {boolean} is_live
 * @property {RunGame[]} games
 *
 * @typedef {object} Side  Who plays a side, and how strongly.
 * @property {string} who  "you", "level" or the name of an agent
 * @property {number} level
 * @property {string} weights
 * @property {"sims" | "seconds"} by
 * @property {number} amount
 */
export {};
