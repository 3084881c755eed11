#include "script_end.h"

#include <gtest/gtest.h>

namespace howdah::jobspec {
namespace {

TEST(ScriptEndsIn, IsEmptyOnlyIfAppendedWordsAreArguments) {
  constexpr const char* kComment = "a comment";
  constexpr const char* kDocument = "a here-document (<<)";
  const struct {
    const char* script;
    const char* end;
  } rows[] = {
      {"", ""},
      {"python train.py", ""},
      {"python train.py # baseline", kComment},
      {"python train.py\n# baseline", kComment},
      {"true;# x", kComment},
      {"# note\npython train.py", ""},
      {"echo a#b $# '# c' \" # d\" \\# e", ""},
      {"echo \"a\\\" # b\"", ""},
      {"echo 'a' # b", kComment},
      {"cat <<EOF\ntext\nEOF", kDocument},
      {"cat <<'E F' >x\ntext\nE F", kDocument},
      {"cat <<EOF\ntext", kDocument},
      {"cat <<-\tEOF\n\ttext\n\tEOF", kDocument},
      {"cat <<A <<B\nB\nA\n# a\nB", kDocument},
      {"cat >x <<EOF\nit's # text\nEOF\npython train.py x", ""},
      {"cat >x <<-\"EOF\"\n  EOF\n\tEOF\npython train.py x", ""},
      {"cat <<EOF", ""},
      {"cat <<< \"$X\"", ""},
      {"x=$((1 << 4))\npython train.py $x", ""},
      {"((x <<= 1))\npython train.py", ""},
      {"python train.py \\", "a backslash"},
      {"python train.py \\\n  --lr 1", ""},
      {"python t.py --n \"$(git log -1 --format=\"%h # %s\")\"", ""},
      {"python t.py ${x/ #/_}", ""},
      {"printf $'it\\'s\\n'; echo 'a # b'", ""},
      {"echo 'open", ""},
      {"echo \"open\\", ""},
  };
  for (const auto& row : rows) EXPECT_EQ(ScriptEndsIn(row.script), row.end) << row.script;
}

}  // namespace
}  // namespace howdah::jobspec
