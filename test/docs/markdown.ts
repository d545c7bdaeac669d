// The code blocks and links of a markdown page. Used by docs.test.ts and pagerun.ts.

/** What stands between two fences, with the words behind the first one. */
export interface Block {
  language: string;
  /** What the reader does not see: `not-run`, `server`, `stopped`, `browser`. Explained in pagerun.ts. */
  marks: readonly string[];
  text: string;
  /** Of the first fence, from 1. */
  line: number;
  /** The output that the page shows: a block of text or JSON with only empty lines between. */
  shown: Block | null;
}

const SHOWN_LANGUAGES = ["text", "json"];

export function blocksOf(page: string): Block[] {
  const blocks: Block[] = [];
  let isApart = true;
  let open: { block: Block; lines: string[] } | null = null;
  for (const [at, line] of page.split("\n").entries()) {
    if (open && line === "```") {
      open.block.text = open.lines.join("\n");
      open = null;
      isApart = false;
    } else if (open) {
      open.lines.push(line);
    } else if (line.startsWith("```")) {
      const [language, ...marks] = line.slice(3).trim().split(/\s+/);
      const block: Block = { language, marks, text: "", line: at + 1, shown: null };
      const before = blocks.at(-1);
      if (!isApart && before && !before.shown && SHOWN_LANGUAGES.includes(language) && isRun(before))
        before.shown = block;
      else blocks.push(block);
      open = { block, lines: [] };
    } else if (line.trim() !== "") {
      isApart = true;
    }
  }
  if (open) throw new Error(`line ${open.block.line}: the block has no end`);
  return blocks;
}

export function isRun({ language, marks }: Block): boolean {
  return RUN_LANGUAGES.includes(language) && !marks.includes("not-run");
}

const RUN_LANGUAGES = ["sh", "js", "ts"];

/** Places in the repository, and in the page itself, that the page links to. */
export function linksOf(page: string): string[] {
  const prose = page.replace(/^```[\s\S]*?^```$/gm, "").replace(/`[^`\n]*`/g, "");
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target]) => target)
    .filter((it) => !/^\w+:/.test(it));
}

/** The names by which a page's headings are linked to. */
export function anchorsOf(page: string): string[] {
  const headings = [...page.replace(/^```[\s\S]*?^```$/gm, "").matchAll(/^#+ (.+)$/gm)];
  return headings.map(([, heading]) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, "")
      .trim()
      .replace(/\s/g, "-"),
  );
}
