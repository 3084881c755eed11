// The pages whose code is loaded together, when the first of them is shown.
export {AboutPage} from "./about_page";
export {AdvicePage} from "./advice_page";
export {ClusterPage} from "./cluster/cluster_page";
export {NodePage} from "./cluster/node_page";
export {QueuePage} from "./cluster/queue_page";
export {ComparePage} from "./compare/compare_page";
export {GoodputPage} from "./goodput_page";
export {NamePage} from "./name/name_page";
export {NotebooksPage} from "./notebooks/notebooks_page";
export {RerunPage} from "./rerun/rerun_page";
