import "uplot/dist/uPlot.min.css";
import "./style/base.css";
import "./style/tables.css";
import "./style/parts.css";
import "./style/logs.css";
import "./style/cluster.css";
import {render} from "preact";
import {App} from "./app";

const root = document.getElementById("app");
if (root) render(<App />, root);
