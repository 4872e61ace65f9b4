package codebase

import "github.com/spf13/cobra"

// Flags are the flags of the commands that search a code base.
type Flags struct {
	exclude                 []string
	allFiles                bool
	baseline, writeBaseline string
}

// Help is the help for these flags.
const Help = `Of a folder it leaves out what a .gitignore names and git does not track, binary files, symbolic links, and the folders .git,
.hg, .svn, .venv, node_modules and vendor; the last line counts them. A file that you name is always read. UTF-16
needs a byte order mark. A file of more than 512 MiB is an error. As many files at
a time are in memory as there are processors. The entries of a baseline are not findings. GLOB is a pattern as in a
.gitignore: '*.md', docs/ or 'tests/**'.

A comment mesh:ignore accepts what is on its line. --write-baseline FILE accepts everything that is there today: it writes FILE, and the exit
status is 0. With --baseline FILE only what was added later is found.`

// Add adds the flags to a command.
func (f *Flags) Add(cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&f.exclude, "exclude", nil, "leave out the files and folders of a pattern `GLOB`; repeatable")
	cmd.Flags().BoolVar(&f.allFiles, "all-files", false, "do not leave out files because of a .gitignore or of their names")
	cmd.Flags().StringVar(&f.baseline, "baseline", "", "leave out what `FILE` has")
	cmd.Flags().StringVar(&f.writeBaseline, "write-baseline", "", "write what is found to `FILE`; exit status 0")
}

// Names are the names of the flags.
var Names = []string{"exclude", "all-files", "baseline", "write-baseline"}
