# Builds Howdah, installs PyTorch and trains a model. Sourced by dev.

dev_demo() {
  need build
  say "fetching PyTorch, TensorBoard and the images, while Howdah is built"
  mkdir -p build/log
  tools/ml-env demo data >build/log/ml-env.out 2>build/log/ml-env.err &
  local fetching=$!
  dev_build release
  wait "$fetching" || { cat build/log/ml-env.err >&2; die "PyTorch, TensorBoard or the images could not be installed"; }
  local interpreter
  interpreter=$(sed -n 1p build/log/ml-env.out)
  say "training: build/release/bin/howdah run examples/fashion-mnist/job.yaml"
  PATH=$(dirname "$interpreter"):$PATH build/release/bin/howdah run examples/fashion-mnist/job.yaml "$@"
  say "done"
}
