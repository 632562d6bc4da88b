//! One test case from its files: what is judged, and what is shown of it (format, "Samples", "Priority of test case
//! files").

use std::io;

use super::super::generators_yaml::ListedCase;
use super::super::model::{SampleFiles, TestCase, TestInput, TestKind};
use super::super::path::PackagePath;
use super::Reader;
use super::files::{CaseFiles, PICTURES};
use super::settings::CaseConfig;

/// The most that is read of a conversation, a hint or a description, bytes.
const MAX_TEXT_BYTES: u64 = 1 << 20;

impl Reader<'_, '_> {
    pub(super) fn case(
        &mut self,
        name: String,
        input: TestInput,
        files: CaseFiles,
        made: Option<ListedCase>,
        own: CaseConfig,
    ) -> io::Result<TestCase> {
        let kind = if name.starts_with("sample/") { TestKind::Sample } else { TestKind::Secret };
        let config = self.merged(&name, own);
        let (copied_answer, description, hint) =
            made.map(|case| (case.answer, case.description, case.hint)).unwrap_or_default();
        let answer = files.get(".ans").or(copied_answer);
        self.check_answer(&name, &input, answer.as_ref());
        if kind == TestKind::Sample {
            self.check_not_empty(&input, answer.as_ref());
        }
        let mut pictures = PICTURES.into_iter().filter_map(|ending| files.get(ending));
        let illustration = pictures.next();
        if let Some(second) = pictures.next() {
            self.findings.fault(second, None, format!("the test {name} has more than one picture; keep one"));
        }
        let sample_files = SampleFiles {
            input_statement: files.get(".in.statement"),
            answer_statement: files.get(".ans.statement"),
            output: files.get(".out"),
            input_download: files.get(".in.download"),
            answer_download: files.get(".ans.download"),
            interaction: files.get(".interaction"),
        };
        self.check_shown(&name, kind, &sample_files)?;
        Ok(TestCase {
            listed_group: None,
            kind,
            input,
            answer,
            args: config.args.unwrap_or_default(),
            input_validator_args: config.input_validator_args.unwrap_or_default(),
            output_validator_args: config.output_validator_args.unwrap_or_default(),
            output_visualizer_args: config.output_visualizer_args.unwrap_or_default(),
            full_feedback: config.full_feedback.unwrap_or(kind == TestKind::Sample),
            description: config.description.or(self.text(files.get(".desc"))?).or(description),
            hint: config.hint.or(self.text(files.get(".hint"))?).or(hint),
            illustration,
            sample_files,
            files: files.files,
            name,
        })
    }

    /// Where nothing says that the references make the answers, their absence is told; where they can't, it is a fault.
    fn check_answer(&mut self, name: &str, input: &TestInput, answer: Option<&PackagePath>) {
        if answer.is_some() {
            return;
        }
        let place = format!("data/{name}");
        if !self.context.output_validators.is_empty() {
            let sentence = "there is no .ans file; only with the default output validator the references can make it";
            self.findings.fault(place, None, sentence);
        } else if !self.makes_answers && matches!(input, TestInput::File(_)) {
            self.findings.warn(place, None, "there is no .ans file; the primary reference makes the answer");
        }
    }

    /// A sample that says nothing helps nobody; without an input alone it may be right (print a greeting).
    fn check_not_empty(&mut self, input: &TestInput, answer: Option<&PackagePath>) {
        let (TestInput::File(input), Some(answer)) = (input, answer) else { return };
        let is_empty = |path| self.context.tree.size(path) == Some(0);
        let problem_type = self.context.yaml.problem_type;
        if is_empty(input) && is_empty(answer) && !problem_type.interactive && !problem_type.multi_pass {
            self.findings.fault(input, None, "the sample is empty: it has neither an input nor an answer");
        }
    }

    /// Which files may stand beside each other (format, "Displayed test cases", "Downloadable test cases").
    fn check_shown(&mut self, name: &str, kind: TestKind, files: &SampleFiles) -> io::Result<()> {
        if let (Some(output), Some(_)) = (&files.output, &files.answer_statement) {
            self.findings.fault(output, None, "there can't be both .out and .ans.statement");
        }
        let pairs = [
            (&files.input_statement, &files.input_download, ".in.statement", ".in.download"),
            (&files.answer_statement, &files.answer_download, ".ans.statement", ".ans.download"),
        ];
        for (shown, offered, shown_ending, offered_ending) in pairs {
            let one = match (shown, offered) {
                (Some(path), None) => Some((path, shown_ending, offered_ending)),
                (None, Some(path)) => Some((path, offered_ending, shown_ending)),
                _ => None,
            };
            if let Some((path, there, missing)) = one {
                let sentence =
                    format!("beside {there} there must be {missing}, or contestants get what they don't see");
                self.findings.warn(path, None, sentence);
            }
        }
        let problem_type = self.context.yaml.problem_type;
        let talks = problem_type.interactive || problem_type.multi_pass;
        let Some(interaction) = &files.interaction else {
            if problem_type.interactive && kind == TestKind::Sample && self.context.layout.is_legacy() {
                let sentence = "an interactive problem's sample needs a .interaction file; nothing is shown of it";
                self.findings.warn(format!("data/{name}"), None, sentence);
            }
            return Ok(());
        };
        if !talks {
            let sentence = "only interactive and multi-pass problems have conversations; remove it";
            self.findings.fault(interaction, None, sentence);
        }
        let others = [
            &files.input_statement,
            &files.answer_statement,
            &files.output,
            &files.input_download,
            &files.answer_download,
        ];
        for path in others.into_iter().flatten() {
            let sentence = "beside a .interaction file there can't be other files to show; remove one of them";
            self.findings.fault(path, None, sentence);
        }
        let bytes = self.context.tree.read_start(interaction, MAX_TEXT_BYTES)?;
        for (index, line) in bytes.split(|&byte| byte == b'\n').enumerate() {
            let fits = line.is_empty()
                || line.starts_with(b"<")
                || line.starts_with(b">")
                || (problem_type.multi_pass && line.trim_ascii_end() == b"---");
            if !fits {
                let sentence = "a line of a conversation begins with `<` (to the submission) or `>` (from it)";
                self.findings.fault(interaction, Some(index + 1), sentence);
                break;
            }
        }
        Ok(())
    }

    /// A `.hint` or `.desc` file's text.
    fn text(&mut self, path: Option<PackagePath>) -> io::Result<Option<String>> {
        let Some(path) = path else { return Ok(None) };
        let bytes = self.context.tree.read_start(&path, MAX_TEXT_BYTES)?;
        if let Ok(text) = String::from_utf8(bytes) {
            return Ok(Some(text.trim_end().to_owned()));
        }
        self.findings.fault(path, None, "it is not UTF-8; save it as UTF-8");
        Ok(None)
    }
}
