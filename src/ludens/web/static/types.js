/**
 * The protocol as `web/messages.py` describes it: what is asked, answered and told.
 * A test compares these types with the server's models and with real answers.
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
 * @property {number[]} colours  whose colour each player has
 * @property {boolean} is_over
 * @property {number | null} result
 * @property {number | null} score
 * @property {string} outcome
 * @property {string} reason
 * @property {Partial<Shape>[]} scene  without what has its default
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
 * @typedef {object} Analysis  An event of `analyse`.
 * @property {"analysis"} event
 * @property {string} agent
 * @property {number} player
 * @property {number} sims
 * @property {number | null} sims_per_s
 * @property {number} value
 * @property {number} winrate
 * @property {number} discount
 * @property {string} proof
 * @property {boolean} is_full
 * @property {boolean} is_imagined
 * @property {boolean} is_done
 * @property {Candidate[]} moves
 *
 * @typedef {object} Verdict  An event of `review`: what a move gave away.
 * @property {"review"} event
 * @property {number} step
 * @property {number} player
 * @property {string} name
 * @property {number} value
 * @property {number} winrate
 * @property {number} score
 * @property {string} best
 * @property {number} best_action
 * @property {number | null} played_winrate
 * @property {number} drop
 * @property {string} proof
 *
 * @typedef {object} Solution  The answer to `solve`.
 * @property {number} outcome
 * @property {number | null} plies  to the end; null for a draw
 * @property {string} words
 * @property {number[]} best
 * @property {string[]} best_names
 * @property {string[]} line
 * @property {number} nodes
 * @property {number} took_s
 *
 * @typedef {object} Option
 * @property {string} name
 * @property {boolean | number | string} default
 * @property {string} help
 * @property {number | null} low
 * @property {number | null} high
 * @property {(string | number)[]} choices
 * @property {boolean} only_observed  Whether it changes only what a net sees.
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
 * @typedef {{name: string, trouble: string}} Trouble  A game that does not load.
 *
 * @typedef {{of: number, at: number, history: Step[]}} Variation  As records have it.
 *
 * @typedef {Variation & {steps: StepWords[]}} ToldVariation
 *
 * @typedef {object} Catalogue  The answer to `games`.
 * @property {(GameInfo | Trouble)[]} games
 * @property {AgentInfo[]} agents
 * @property {string[]} records
 * @property {string[]} formats
 * @property {number} points_per_score
 * @property {number} max_message_bytes
 * @property {number} max_text
 * @property {boolean} is_watched
 * @property {string} version
 *
 * @typedef {object} Described  The answer to `describe`.
 * @property {Position} position
 * @property {Level[]} levels
 * @property {string[]} nets
 * @property {string[]} books
 * @property {string} default_agent
 * @property {string} note
 * @property {boolean} can_look_ahead
 *
 * @typedef {object} RuleBlock  A piece of the rules in words.
 * @property {"heading" | "text" | "item" | "table" | "board"} kind
 * @property {string} text
 * @property {string[][]} rows
 * @property {Partial<Shape>[]} scene
 *
 * @typedef {{value: number | null, low: number | null, high: number | null}} Estimate
 *
 * @typedef {object} MatchBoard  A board of a match that has changed.
 * @property {number} number
 * @property {string[]} names
 * @property {Frame} frame
 * @property {number} plies
 * @property {string} last
 * @property {string} outcome
 *
 * @typedef {object} MatchFacts  What a match tells.
 * @property {"match"} event
 * @property {number} done
 * @property {string} note
 * @property {{} | {means: Estimate[], gain: Estimate} | {wins: number, draws: number,
 *   losses: number, score: Estimate, elo: Estimate}} standing
 * @property {MatchBoard[]} boards
 * @property {{number: number, result: number, record: object}[]} finished
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
 * @property {{spec: string, history: Step[]}} game
 * @property {number[]} values
 * @property {number[]} kinds
 * @property {string} ending
 * @property {number | null} result
 * @property {boolean} is_over
 * @property {boolean} is_finished
 * @property {boolean} is_live
 *
 * @typedef {object} RunInShort
 * @property {string} name
 * @property {string} game
 * @property {number | null} iteration
 * @property {number} games
 * @property {number} positions
 * @property {number | null} elo
 * @property {number} age_s
 * @property {string} trouble
 * @property {boolean} is_known
 * @property {boolean} is_live
 *
 * @typedef {{iteration: number} & Record<string, number | null>} Metrics  of an iteration, by name
 *
 * @typedef {object} RunFacts  An event of `run`.
 * @property {"run"} event
 * @property {string} name
 * @property {string} game
 * @property {boolean} is_known
 * @property {{seed?: string, created?: string}} facts
 * @property {Record<string, unknown>} config
 * @property {{iterations: number, games: number, positions: number, seconds: number}} totals
 * @property {number[]} results
 * @property {Metrics[]} metrics
 * @property {number[]} nets
 * @property {{words: string, parameters: number} | null} net
 * @property {number} size_bytes
 * @property {boolean} is_live
 * @property {string} now  how far an iteration is, in words
 * @property {string} cluster  in words
 * @property {string[][]} workers  under a header
 * @property {RunGame[]} games
 *
 * @typedef {{agent: string, sims?: number, seconds?: number}} Thinker  An agent and its limit.
 *
 * @typedef {object} Requests  What can be asked, by the word `do`.
 * @property {{}} games
 * @property {{game: SentGame}} describe
 * @property {{game: SentGame}} position
 * @property {{game: SentGame, step: Step}} play
 * @property {{game: SentGame}} observe
 * @property {{game: SentGame, steps: Step[]}} line
 * @property {{game: SentGame, choices: string[]}} why
 * @property {{game: SentGame} & Thinker} move
 * @property {{game: SentGame} & Thinker} analyse
 * @property {{game: SentGame, agent: string, sims?: number}} review
 * @property {{game: SentGame, seconds?: number}} solve
 * @property {{game: SentGame, agent: string, sims?: number, path?: number[], depth?: number,
 *   width?: number, min_visits?: number}} tree
 * @property {{spec: string, agents: string[], games: number, openings: number | null,
 *   book: string, even: boolean, seed: number}} match
 * @property {{game: SentGame, text: string}} edit
 * @property {{game: SentGame, players?: string[], variations?: Variation[],
 *   format?: string}} record
 * @property {{text?: string, name?: string, spec?: string, number?: number}} read
 * @property {{spec: string}} rules
 * @property {{}} runs
 * @property {{name: string, num_games?: number}} run
 * @property {{}} changes
 * @property {{of: number}} stop
 *
 * @typedef {object} Answers  What is answered, by the same word.
 * @property {Catalogue} games
 * @property {Described} describe
 * @property {{position: Position}} position
 * @property {{position: Position, num_new: number}} play
 * @property {{player: number, planes: {name: string, values: number[][]}[]}} observe
 * @property {{frames: Frame[]}} line
 * @property {{why: string}} why
 * @property {{position: Position, num_new: number, action: number, name: string,
 *   analysis: Analysis | null, note?: string}} move
 * @property {{}} analyse
 * @property {{}} review
 * @property {Solution} solve
 * @property {{tree: Branch}} tree
 * @property {{}} match
 * @property {{position: Position}} edit
 * @property {{record: object, text: string, name: string}} record
 * @property {{position: Position, players: string[], variations: ToldVariation[],
 *   num_games: number}} read
 * @property {{blocks: RuleBlock[]}} rules
 * @property {{runs: RunInShort[]}} runs
 * @property {{}} run
 * @property {{}} changes
 * @property {{}} stop
 *
 * @typedef {object} Events  What is told before the answer.
 * @property {Analysis} analyse
 * @property {Verdict} review
 * @property {MatchFacts} match
 * @property {RunFacts} run
 * @property {{games: string[], troubles: Record<string, string>}} changes
 */
export {};
