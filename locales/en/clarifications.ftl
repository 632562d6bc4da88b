nav-clarifications = Questions
clarify-title = Questions and announcements
clarify-lead = Something in a statement is unclear? Ask the judges. Answers and announcements appear here at once.
clarify-staff-lead = Answer the teams’ questions; an answer to all is shown with the question, without the team’s name.
clarify-to-staff = Answer questions
clarify-ask = Ask the judges
clarify-announce = Tell everybody
clarify-about = About
clarify-general = The contest in general
clarify-text = Text
clarify-send = Ask
clarify-announce-send = Announce
clarify-log-in = to ask something.
clarify-none = Nothing was asked or announced yet
clarify-none-why = Answers to you, answers to all and announcements appear here.
clarify-announcement = Announcement
clarify-own = Your question
clarify-from = Question of { $team }
clarify-question = Question
clarify-answer = Answer of the judges
clarify-to-all = to all
clarify-waiting = The judges have not answered yet. This page shows it at once.
clarify-reply = Answer
clarify-reply-text = Answer
clarify-reply-all = Show question and answer to everybody
clarify-reply-send = Send the answer
clarify-empty = The text is empty. Write what you want to know.
clarify-too-long = The text has { $count } characters; at most { $limit } are taken.
clarify-no-question = There is no such question any more. Look at the list again.
clarify-too-fast = You asked several questions within five minutes. Wait { $seconds } seconds, then ask this one; the judges see them all.
news-unread = { $count ->
    [one] A new message from the judges.
   *[other] { $count } new messages from the judges.
 }
news-unanswered = { $count ->
    [one] A question waits for an answer.
   *[other] { $count } questions wait for an answer.
 }
news-open = Read
canned-title = Canned answers
canned-choose = Or a canned answer, if nothing is written
canned-none = None
canned-text = New canned answer
canned-keep = Keep
canned-drop = Remove
canned-drop-which = Remove “{ $text }”
