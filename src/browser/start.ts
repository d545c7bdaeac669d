// A script for the head of a page, `<script src="browser-start.js"></script>`: starts the worker before the
// scripts of the page have loaded. Optional; it only saves time.
import { startWorkerEarly } from "./earlyworker.ts";

const { src } = document.currentScript as HTMLScriptElement;
startWorkerEarly(new URL("./browser-worker.js", src));
